/**
 * What a view's stock is worth to its seat: the numbers that `clients/python/GREEDY.md` defines, by the names that they have there.
 *
 * All are whole numbers below 2^53; no dividend is negative, so that rounding is the same in every language.
 */

import { CHAINS, SHARES_PER_CHAIN } from "../board.js";
import { topsOfOthers } from "../holdings.js";
import type { Turn } from "../turn.js";

const ROWS = [3, 4, 5, 6, 11, 21, 31, 41];
const TIERS = [0, 0, 1, 1, 1, 2, 2];
/** What the first and the second bonus are worth together, in shares. */
const BONUS_SHARES = 15;
/** Shares, squared, that nobody has yet and that may still end a lead. */
const DOUBT = 16;

const ALL = Array.from({ length: CHAINS }, (_, chain) => chain);

/** Whole division, rounded down. */
export function div(value: number, by: number): number {
  return Math.floor(value / by);
}

/** The sum of a number for each chain. */
export function sum(of: (chain: number) => number, chains: readonly number[] = ALL): number {
  return chains.reduce((total, chain) => total + of(chain), 0);
}

/** What a share of a chain costs at a size. */
export function priceAt(chain: number, size: number): number {
  return size < 2 ? 0 : 100 * (2 + ROWS.filter((row) => row <= size).length + (TIERS[chain] ?? 0));
}

/** What a holding would be paid if bonuses were paid now, against the two largest of the others. */
export function bonusNow(price: number, held: number, first: number, second: number): number {
  if (held === 0 || held < second) return 0;
  if (first === 0) return 15 * price;
  if (held > first) return 10 * price;
  if (held === first) return held === second ? 5 * price : div(15 * price, 2);
  return held === second ? div(5 * price, 2) : 5 * price;
}

/** The mean of what a holding would be paid now and of its part by the squares of the holdings. */
export function hoped(price: number, held: number, first: number, second: number): number {
  const squares = held * held + first * first + second * second;
  const part = div(BONUS_SHARES * price * held * held, squares + DOUBT);
  return div(part + bonusNow(price, held, first, second), 2);
}

/** The same for all others together. */
export function rivalsHope(price: number, held: number, first: number, second: number): number {
  const others = first * first + second * second;
  const part = div(BONUS_SHARES * price * others, held * held + others + DOUBT);
  const paid = held > 0 || first > 0 ? BONUS_SHARES * price : 0;
  return div(part + paid - bonusNow(price, held, first, second), 2);
}

/** A view in the terms of the rule. */
export class Worth {
  readonly #turn: Turn;
  readonly #rivals: number;
  readonly #tops: readonly (readonly [number, number])[];
  readonly cash: number;
  readonly pile: number;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.cash = turn.cash;
    this.pile = turn.view.pile;
    this.#rivals = turn.match.seats - 1;
    this.#tops = ALL.map((chain) => topsOfOthers(turn.view, turn.seat, chain));
  }

  mine(chain: number): number {
    return this.#turn.mine[chain] ?? 0;
  }

  price(chain: number): number {
    return this.#turn.view.prices[chain] ?? 0;
  }

  size(chain: number): number {
    return this.#turn.view.sizes[chain] ?? 0;
  }

  market(chain: number): number {
    return this.#turn.view.market[chain] ?? 0;
  }

  /** The shares of all others together. */
  rest(chain: number): number {
    return SHARES_PER_CHAIN - this.market(chain) - this.mine(chain);
  }

  /** What this many shares of a chain are worth to this seat at a price. */
  own(chain: number, price: number, held: number): number {
    return price * held + hoped(price, held, ...this.#topsOf(chain));
  }

  /** How much more the seat's shares of a chain are worth with this many more; fewer, if it is negative. */
  bought(chain: number, count: number): number {
    const [price, held] = [this.price(chain), this.mine(chain)];
    return this.own(chain, price, held + count) - this.own(chain, price, held);
  }

  /** What they are worth times the number of rivals, less what the shares of all rivals are worth to them. */
  lead(chain: number, price: number, held: number): number {
    const against = price * this.rest(chain) + rivalsHope(price, held, ...this.#topsOf(chain));
    return this.#rivals * this.own(chain, price, held) - against;
  }

  /** The same for what is held at today's price. */
  leadNow(chain: number): number {
    return this.lead(chain, this.price(chain), this.mine(chain));
  }

  /** The same if the bonuses are paid and all shares are sold now. */
  paidLead(chain: number): number {
    const [price, held, rest] = [this.price(chain), this.mine(chain), this.rest(chain)];
    const bonus = bonusNow(price, held, ...this.#topsOf(chain));
    const paid = held + rest > 0 ? BONUS_SHARES * price : 0;
    return this.#rivals * (price * held + bonus) - (price * rest + paid - bonus);
  }

  /** What this many shares of a chain would bring if the game ended now. */
  closing(chain: number, held: number): number {
    const price = this.price(chain);
    return price * held + bonusNow(price, held, ...this.#topsOf(chain));
  }

  /** Whether nobody would have more money than the seat if the game ended now, as far as the view tells. */
  isAhead(): boolean {
    const { view, seat } = this.#turn;
    const known = view.players.flatMap(({ cash, shares }) =>
      cash !== undefined && shares ? [{ cash, held: shares.counts }] : [],
    );
    if (known.length < view.players.length) {
      return this.#seemsAhead();
    }
    const totals = known.map(({ cash, held }, each) => {
      return (
        cash +
        sum((chain) => {
          const [price, count] = [this.price(chain), held[chain] ?? 0];
          return price * count + bonusNow(price, count, ...topsOfOthers(view, each, chain));
        })
      );
    });
    return totals[seat] === Math.max(...totals);
  }

  /** If holdings are hidden: whether the seat's stock would bring a fifth more than an equal part of all. */
  #seemsAhead(): boolean {
    const mine = sum((chain) => this.closing(chain, this.mine(chain)));
    const all = sum((chain) => {
      const out = this.mine(chain) + this.rest(chain);
      return out > 0 ? this.price(chain) * (out + BONUS_SHARES) : 0;
    });
    return 5 * (this.#rivals + 1) * mine >= 6 * all;
  }

  #topsOf(chain: number): readonly [number, number] {
    return this.#tops[chain] ?? [0, 0];
  }
}
