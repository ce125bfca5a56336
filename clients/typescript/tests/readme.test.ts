import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import ts from "typescript";

import { CLIENT } from "./vectors.js";

test("the bot that the README begins with compiles as it is pasted", () => {
  const found = /```typescript\n(.*?)```/s.exec(readFileSync(join(CLIENT, "README.md"), "utf8"));
  assert(found?.[1]);
  const folder = mkdtempSync(join(tmpdir(), "mergemaker-readme-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "my_bot.ts"), found[1]);
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(CLIENT, join(folder, "node_modules", "mergemaker"), "dir"); // as npm installs a folder
    const program = ts.createProgram([join(folder, "my_bot.ts")], {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    });
    const problems = ts.getPreEmitDiagnostics(program);
    assert.deepEqual(
      problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
