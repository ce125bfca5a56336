/** The numbers of the game that a client needs. */

/** Chains are numbered 0 to 6, in the order of `Rules.chainNames`. */
export const CHAINS = 7;
/** Squares are numbered 0 to 107 along the rows: 12A is 11, 1B is 12. */
export const SQUARES = 108;
/** Shares of each chain. */
export const SHARES_PER_CHAIN = 25;
/** The most shares of one purchase, with a power. */
export const LARGEST_PURCHASE = 5;

const NUMBERS = 12;

/** A square as it is written on the board, such as `7G`. */
export function squareName(square: number): string {
  return `${(square % NUMBERS) + 1}${"ABCDEFGHI".charAt(Math.floor(square / NUMBERS))}`;
}
