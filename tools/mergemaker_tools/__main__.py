"""Runs the command as `python -m mergemaker_tools`."""

import sys

from mergemaker_tools.cli import main

sys.exit(main())
