// Reads notes as the viewer does, and prints the marks and texts: node marks.mjs STATIC_FOLDER, with the notes as JSON on standard input
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { marksOf, textOfNote } = await import(new URL("marks.js", pathToFileURL(`${process.argv[2]}/`)));
const notes = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(notes.map((note) => [textOfNote(note), marksOf(note)])));
