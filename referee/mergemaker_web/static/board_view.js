// The board: as a picture, and in text mode as a table. It draws any view, be it replayed here or sent by a server.

import { el, setAttribute, setText, svg } from "./dom.js";
import { CHAINS, EMPTY, FIRST_CHAIN, INDEPENDENT, LETTERS, NUMBERS, SQUARES, squareName } from "./squares.js";

const CELL = 40;
const MARGIN = 26;
const WIDTH = MARGIN + NUMBERS * CELL + 4;
const HEIGHT = MARGIN + LETTERS.length * CELL + 4;
const HOUSE = "M-12 14v-18l12 -11l12 11v18z";
const left = (square) => MARGIN + (square % NUMBERS) * CELL;
const top = (square) => MARGIN + Math.floor(square / NUMBERS) * CELL;
const middleX = (square) => left(square) + CELL / 2;
const middleY = (square) => top(square) + CELL / 2;

/** The class of what a square holds: its colours are in the style sheet. */
const classOf = (held) => (held >= FIRST_CHAIN ? `chain c${held - FIRST_CHAIN}` : held === INDEPENDENT ? "lone" : "empty");

/** What a square holds, in a word. */
const wordOf = (held, names) => (held >= FIRST_CHAIN ? names[held - FIRST_CHAIN] : held === INDEPENDENT ? "single tile" : "empty");

export class BoardView {
  constructor() {
    this.tiles = [];
    this.texts = [];
    this.houses = [];
    this.cells = [];
    this.frame = svg("rect", { class: "last", width: CELL - 4, height: CELL - 4, rx: 5, visibility: "hidden" });
    this.marks = svg("g", { class: "marks" });
    this.picture = this.drawPicture();
    this.table = this.drawTable();
    this.element = el("div", { class: "board" }, this.picture, this.table);
  }

  drawPicture() {
    const parts = [];
    for (let column = 0; column < NUMBERS; column++) {
      parts.push(svg("text", { class: "edge", x: middleX(column), y: MARGIN - 8 }, String(column + 1)));
    }
    [...LETTERS].forEach((letter, row) => parts.push(svg("text", { class: "edge", x: MARGIN / 2, y: middleY(row * NUMBERS) + 5 }, letter)));
    for (let square = 0; square < SQUARES; square++) {
      const tile = svg("rect", { x: left(square) + 1, y: top(square) + 1, width: CELL - 2, height: CELL - 2, rx: 4 });
      const text = svg("text", { x: middleX(square), y: middleY(square) });
      this.tiles.push(tile);
      this.texts.push(text);
      parts.push(tile, text);
    }
    for (let chain = 0; chain < CHAINS; chain++) {
      const letter = svg("text", { y: 11 });
      const house = svg("g", { class: `house c${chain}`, visibility: "hidden" }, svg("path", { d: HOUSE }), letter);
      this.houses.push({ house, letter });
      parts.push(house);
    }
    return svg("svg", { class: "picture", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Board" }, parts, this.frame, this.marks);
  }

  drawTable() {
    const head = el("tr", {}, el("td"), Array.from({ length: NUMBERS }, (_, column) => el("th", { scope: "col" }, String(column + 1))));
    const rows = [...LETTERS].map((letter, row) => el("tr", {}, el("th", { scope: "row" }, letter), Array.from({ length: NUMBERS }, (_, column) => {
      const square = row * NUMBERS + column;
      const shown = el("span", { "aria-hidden": "true" });
      const said = el("span", { class: "sr" });
      this.cells[square] = { cell: el("td", {}, shown, said), shown, said };
      return this.cells[square].cell;
    })));
    return el("table", { class: "boardtable", hidden: true }, el("caption", {}, "Board"), el("thead", {}, head), el("tbody", {}, rows));
  }

  /** Shows the table in place of the picture, or the picture again. */
  setTextMode(isText) {
    this.picture.style.display = isText ? "none" : "";
    this.table.hidden = !isText;
  }

  /** Shows a view. `last` is the last tile's square or null, `hand` the squares to mark as tiles of a hand. */
  show(view, last, hand) {
    for (let square = 0; square < SQUARES; square++) {
      const held = view.board[square];
      const inHand = hand.includes(square) && held === EMPTY;
      const isNew = square === last;
      setAttribute(this.tiles[square], "class", `tile ${classOf(held)}${inHand ? " hand" : ""}${isNew ? " new" : ""}`);
      setAttribute(this.texts[square], "class", `held ${classOf(held)}`);
      setText(this.texts[square], held >= FIRST_CHAIN ? view.names[held - FIRST_CHAIN][0] : squareName(square));
      const { cell, shown, said } = this.cells[square];
      setAttribute(cell, "class", held >= FIRST_CHAIN ? `c${held - FIRST_CHAIN}` : null);
      setText(shown, held >= FIRST_CHAIN ? view.names[held - FIRST_CHAIN][0] : held === INDEPENDENT ? "o" : inHand ? "▫" : "·");
      setText(said, `${wordOf(held, view.names)}${inHand ? ", in the hand" : ""}${isNew ? ", the last tile" : ""}`);
    }
    this.showHouses(view);
    setAttribute(this.frame, "visibility", last === null ? "hidden" : "visible");
    if (last !== null) {
      setAttribute(this.frame, "x", left(last) + 2);
      setAttribute(this.frame, "y", top(last) + 2);
    }
    setAttribute(this.picture, "aria-label", describe(view, last));
  }

  showHouses(view) {
    this.houses.forEach(({ house, letter }, chain) => {
      setAttribute(house, "visibility", view.sizes[chain] ? "visible" : "hidden");
      if (!view.sizes[chain]) return;
      const square = middleOf(view.board, chain);
      setAttribute(house, "transform", `translate(${middleX(square)} ${middleY(square)})`);
      setText(letter, view.names[chain][0]);
    });
  }

  /** Shows the marks of a note; see `marksOf`. */
  showMarks(marks) {
    this.marks.replaceChildren(...marks.flatMap(drawMark));
  }
}

/** The tile nearest the middle of a chain: its headquarters stand there. */
function middleOf(board, chain) {
  const squares = [...board.keys()].filter((square) => board[square] === FIRST_CHAIN + chain);
  const mean = (part) => squares.reduce((sum, square) => sum + part(square), 0) / squares.length;
  const [x, y] = [mean(left), mean(top)];
  const far = (square) => (left(square) - x) ** 2 + (top(square) - y) ** 2;
  return squares.reduce((best, square) => (far(square) < far(best) - 1e-9 ? square : best));
}

function describe(view, last) {
  const chains = view.names.map((name, chain) => (view.sizes[chain] ? `${name} ${view.sizes[chain]}` : "")).filter(Boolean);
  const tile = last === null ? "" : ` The last tile is ${squareName(last)}.`;
  return `Board. Chains: ${chains.join(", ") || "none"}.${tile}`;
}

function drawMark(mark) {
  const at = { x: middleX(mark.square), y: middleY(mark.square) };
  if (mark.kind === "square") {
    return [svg("rect", { class: `mark ${mark.tone}`, x: left(mark.square) + 3, y: top(mark.square) + 3, width: CELL - 6, height: CELL - 6, rx: 4 })];
  }
  if (mark.kind === "arrow") return drawArrow(at, { x: middleX(mark.to), y: middleY(mark.to) }, mark.tone);
  const width = 8 + 7 * [...mark.text].length;
  return [
    svg("rect", { class: `label ${mark.tone}`, x: at.x - width / 2, y: at.y - 20, width, height: 16, rx: 3 }),
    svg("text", { class: "labeltext", x: at.x, y: at.y - 8 }, mark.text),
  ];
}

function drawArrow(from, to, tone) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = `M${to.x} ${to.y}L${to.x - 10 * x - 6 * y} ${to.y - 10 * y + 6 * x}L${to.x - 10 * x + 6 * y} ${to.y - 10 * y - 6 * x}z`;
  return [
    svg("line", { class: `mark ${tone}`, x1: from.x, y1: from.y, x2: to.x - 8 * x, y2: to.y - 8 * y }),
    svg("path", { class: `tip ${tone}`, d: tip }),
  ];
}

