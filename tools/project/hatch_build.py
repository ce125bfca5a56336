"""Compiles the engine, the table and the wire while a wheel is built: hatchling's hook, which `make compiled` turns on.

mypyc compiles the sources as they are. The wheel holds them, too: of two modules with one name, Python imports the compiled
one. hatchling runs this only where HATCH_BUILD_HOOK_ENABLE_CUSTOM is set; a pure wheel is built without a word of it.
"""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# mypy's settings for this alone. Types were checked before, with others.
SETTINGS = """[mypy]
mypy_path = {root}/engine:{root}/protos:{root}/referee
explicit_package_bases = True
ignore_missing_imports = True
[mypy-mergemaker_engine.unchecked]
follow_imports = skip
"""
# What compiled it, for `mergemaker --version`.
MARK = "mergemaker_engine/compiled.txt"
# A third more of the compiler's time than 1 takes.
OPTIMISATION = "2"


class CompiledWheel(BuildHookInterface):  # type: ignore[misc]  # hatchling is only there where a wheel is built
    """Adds the compiled modules to the wheel, and says for which Python and platform it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, before hatchling collects the files."""
        if version == "editable":
            return
        root = Path(self.root)
        modules = modules_of(root, self.config["compiled"], self.config["interpreted"])
        self.folder = Path(tempfile.mkdtemp(prefix="mergemaker-compiled-"))
        try:
            library = compile_below(self.folder, root, modules)
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        for path in library.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(library).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Removes what was compiled: it is in the wheel now."""
        if version != "editable":
            shutil.rmtree(self.folder)


def modules_of(root: Path, compiled: list[str], interpreted: list[str]) -> list[str]:
    """The paths of the modules that are compiled: those of some packages, but for some of them."""
    found = [path.relative_to(root).as_posix() for package in compiled for path in sorted((root / package).rglob("*.py"))]
    unknown = set(interpreted) - set(found)
    if unknown:
        raise SystemExit(f"pyproject.toml: {', '.join(sorted(unknown))}: nothing of that name is among what is compiled")
    return [path for path in found if path not in interpreted]


def compile_below(folder: Path, root: Path, modules: list[str]) -> Path:
    """Compiles modules, and returns the folder with what was made of them."""
    # Imported here: what builds a pure wheel has none of them.
    from mypy.version import __version__ as version  # noqa: PLC0415
    from mypyc.build import mypycify  # noqa: PLC0415
    from setuptools import Distribution  # noqa: PLC0415

    settings = folder / "mypy.ini"
    settings.write_text(SETTINGS.format(root=root), encoding="utf-8")
    os.chdir(root)
    extensions = mypycify(
        ["--config-file", str(settings), *modules],
        opt_level=OPTIMISATION,
        debug_level="0",
        multi_file=True,  # one file for all keeps one compiler busy for minutes
        target_dir=str(folder / "source"),
        group_name="mergemaker",
    )
    if os.name != "nt":
        for extension in extensions:
            # No other library uses these names, so calls between the modules need no table of addresses.
            extension.extra_compile_args.append("-fvisibility=hidden")
    command = parallel_build(Distribution({"ext_modules": extensions}))
    command.build_lib, command.build_temp = str(folder / "library"), str(folder / "objects")
    command.ensure_finalized()
    command.run()
    library = folder / "library"
    (library / MARK).write_text(f"mypyc {version}\n", encoding="ascii")
    return library


def parallel_build(distribution: Any) -> Any:  # noqa: ANN401 - setuptools' own types, which are not there otherwise
    """The command that compiles and links extensions, with a compiler for each processor."""
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415

    class ParallelBuild(build_ext):  # type: ignore[misc]  # likewise
        def build_extensions(self) -> None:
            compile_some = self.compiler.compile
            with ThreadPoolExecutor(os.cpu_count()) as pool:

                def compile_each(sources: list[str], **options: object) -> list[str]:
                    objects = pool.map(lambda source: compile_some([source], **options), sources)
                    return [name for each in objects for name in each]

                self.compiler.compile = compile_each
                super().build_extensions()

    return ParallelBuild(distribution)
