import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  // What is in template is compiled where `mergemaker new` writes it.
  { ignores: ["dist", "node_modules", "src/wire", "template"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers and whole numbers of 64 bits read well in texts as they are.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ["tests/**"],
    rules: {
      // node:test's own functions return promises that it awaits by itself.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "describe", "it", "suite"], package: "node:test" },
          ],
        },
      ],
    },
  },
);
