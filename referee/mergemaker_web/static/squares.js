// Squares, their names, and what touches what. As in the engine, squares are numbered by letter, then number: 1A is 0, 12A is 11.

export const NUMBERS = 12;
export const LETTERS = "ABCDEFGHI";
export const SQUARES = NUMBERS * LETTERS.length;
export const CHAINS = 7;

// What a square of a board holds. Chain c is FIRST_CHAIN + c.
export const EMPTY = 0;
export const INDEPENDENT = 1;
export const FIRST_CHAIN = 2;

export const numberOf = (square) => (square % NUMBERS) + 1;
export const letterOf = (square) => LETTERS[Math.floor(square / NUMBERS)];
export const squareName = (square) => `${numberOf(square)}${letterOf(square)}`;

/** By square: the squares beside it; diagonals do not count (PLC-2). */
export const BESIDE = Array.from({ length: SQUARES }, (_, square) => {
  const column = square % NUMBERS;
  const found = [];
  if (square >= NUMBERS) found.push(square - NUMBERS);
  if (column > 0) found.push(square - 1);
  if (column < NUMBERS - 1) found.push(square + 1);
  if (square < SQUARES - NUMBERS) found.push(square + NUMBERS);
  return found;
});

/** The chains beside a square, ascending. */
export function chainsBeside(board, square) {
  const found = new Set();
  for (const beside of BESIDE[square]) if (board[beside] >= FIRST_CHAIN) found.add(board[beside] - FIRST_CHAIN);
  return [...found].sort((one, other) => one - other);
}

/** Whether an independent tile is beside a square. */
export const independentBeside = (board, square) => BESIDE[square].some((beside) => board[beside] === INDEPENDENT);

/** Gives a mark to a square and to every independent tile connected to it. Returns how many squares these are. */
export function spread(board, square, mark) {
  board[square] = mark;
  const frontier = [square];
  let taken = 1;
  while (frontier.length) {
    for (const beside of BESIDE[frontier.pop()]) {
      if (board[beside] !== INDEPENDENT) continue;
      board[beside] = mark;
      taken += 1;
      frontier.push(beside);
    }
  }
  return taken;
}
