"""One match without I/O: the game, its clock, its faults and the lines of its record."""

from mergemaker_table.errors import TableError as TableError
from mergemaker_table.setup import Setup as Setup
from mergemaker_table.table import Phase as Phase
from mergemaker_table.table import Table as Table
from mergemaker_table.terms import CLOCKS as CLOCKS
from mergemaker_table.terms import ClockTerms as ClockTerms
from mergemaker_table.terms import FaultTerms as FaultTerms
from mergemaker_table.terms import Terms as Terms
