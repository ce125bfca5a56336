//! The game as a seat may know it.

use std::fmt;

use crate::errors::Unreadable;
use crate::kinds::check_question;
use crate::values::{CHAINS, SEATS_MAX, SQUARES, Shares, by_chain, counts, index, square, square_name};
use crate::wire::{self, Power, question::Kind as Question};

const SEATS_MIN: usize = 2;
const ROW: usize = 12;

/// What lies on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A tile that belongs to no chain.
    Independent,
    /// A tile of this chain.
    Chain(usize),
}

/// What a view says of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// How many tiles it has.
    pub hand_size: u32,
    /// Dollars; none if they are hidden (VIS-3).
    pub cash: Option<u32>,
    /// Its shares, by chain; none if they are hidden (VIS-3).
    pub shares: Option<Shares>,
    /// The powers that it has used.
    pub powers_used: Vec<Power>,
}

/// A game as one seat may know it, with the question to that seat.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The number of the last event that it takes in; 0 before the first.
    pub last_event: u64,
    /// How many play.
    pub seats: usize,
    /// Whose view this is.
    pub seat: usize,
    /// Turns are numbered from 1.
    pub turn: u32,
    /// Whose turn it is.
    pub turn_seat: usize,
    /// By square: what lies there.
    pub board: Vec<Cell>,
    /// Tiles, by chain; 0 for one that is not on the board.
    pub sizes: Shares,
    /// Dollars for a share, by chain; 0 for one that is not on the board.
    pub prices: Shares,
    /// Shares that the market has left, by chain.
    pub market: Shares,
    /// How many tiles are left in the pile.
    pub pile: u32,
    /// Tiles that are out of the game, ascending.
    pub set_aside: Vec<usize>,
    /// This seat's tiles, ascending.
    pub hand: Vec<usize>,
    /// By seat.
    pub players: Vec<Player>,
    /// Whether the end has been declared in this turn.
    pub declared: bool,
    /// Whether the condition for declaring it holds (END-1).
    pub end_allowed: bool,
    /// Whether a power was used in this turn.
    pub power_used: bool,
    /// Whether anything happened in this turn that END-4 counts.
    pub moved: bool,
    /// How many turns in a row have passed without.
    pub idle: u32,
    /// The merger that is not settled.
    pub merger: Option<wire::MergerView>,
    /// What this seat is asked.
    pub question: Question,
    /// The steps of the turn still to come that this version knows, the next one last.
    pub agenda: Vec<wire::Step>,
    /// This seat's cash.
    pub cash: u32,
    /// This seat's shares, by chain.
    pub mine: Shares,
}

impl View {
    /// Reads the view of a question.
    pub(crate) fn read(message: &wire::View) -> Result<Self, Unreadable> {
        let asked = message.asked.as_ref().ok_or_else(|| Unreadable("view.asked is not set".into()))?;
        let question =
            asked.kind.clone().ok_or_else(|| Unreadable("what is asked only a newer version knows".into()))?;
        check_question(&question)?;
        let seats = message.seats as usize;
        if !(SEATS_MIN..=SEATS_MAX).contains(&seats) || message.players.len() != seats {
            let text = format!("view.seats is {seats}, and view.players are {}", message.players.len());
            return Err(Unreadable(text));
        }
        let seat = index(asked.seat, seats, "view.asked.seat")?;
        let players = message.players.iter().map(read_player).collect::<Result<Vec<_>, _>>()?;
        let own = &players[seat];
        let (Some(cash), Some(mine)) = (own.cash, own.shares) else {
            return Err(Unreadable("a seat's own cash and shares are not hidden from it".into()));
        };
        Ok(Self {
            last_event: message.last_event,
            seats,
            seat,
            turn: message.turn,
            turn_seat: index(message.turn_seat, seats, "view.turn_seat")?,
            board: read_board(&message.board)?,
            sizes: by_chain(&message.sizes, "view.sizes")?,
            prices: by_chain(&message.prices, "view.prices")?,
            market: counts(&message.market, "view.market")?,
            pile: index(message.pile, SQUARES + 1, "view.pile")? as u32,
            set_aside: read_squares(&message.set_aside, "view.set_aside")?,
            hand: read_squares(&message.hand, "view.hand")?,
            declared: message.declared,
            end_allowed: message.end_allowed,
            power_used: message.power_used,
            moved: message.moved,
            idle: message.idle,
            merger: message.merger.clone(),
            question,
            agenda: message.agenda.iter().filter(|step| step.kind.is_some()).cloned().collect(),
            cash,
            mine,
            players,
        })
    }
}

fn read_player(message: &wire::SeatView) -> Result<Player, Unreadable> {
    let shares = message.shares.as_ref().map(|shares| counts(&shares.counts, "view.players.shares"));
    Ok(Player {
        hand_size: message.hand_size,
        cash: message.cash,
        shares: shares.transpose()?,
        powers_used: message.powers_used().collect(),
    })
}

fn read_board(bytes: &[u8]) -> Result<Vec<Cell>, Unreadable> {
    if bytes.len() != SQUARES {
        return Err(Unreadable(format!("view.board has {SQUARES} bytes, not {}", bytes.len())));
    }
    let cell = |byte: &u8| match usize::from(*byte) {
        0 => Ok(Cell::Empty),
        1 => Ok(Cell::Independent),
        mark if mark < 2 + CHAINS => Ok(Cell::Chain(mark - 2)),
        mark => Err(Unreadable(format!("a square of view.board is below {}, not {mark}", 2 + CHAINS))),
    };
    bytes.iter().map(cell).collect()
}

fn read_squares(numbers: &[u32], what: &str) -> Result<Vec<usize>, Unreadable> {
    numbers.iter().map(|number| square(*number, what)).collect()
}

/// What a seat knows, in a few lines; chains go by their numbers.
impl fmt::Display for View {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hand: Vec<_> = self.hand.iter().map(|square| square_name(*square)).collect();
        let (turn, whose, seat, pile) = (self.turn, self.turn_seat, self.seat, self.pile);
        writeln!(
            formatter,
            "turn {turn} of seat {whose}; seat {seat} has {}; {pile} tiles in the pile",
            hand.join(" ")
        )?;
        for (row, letter) in self.board.chunks(ROW).zip('A'..) {
            let marks = row.iter().map(|cell| match cell {
                Cell::Empty => '.',
                Cell::Independent => 'o',
                Cell::Chain(chain) => char::from(b'0' + *chain as u8),
            });
            writeln!(formatter, "  {letter} {}", marks.collect::<String>())?;
        }
        writeln!(formatter, "  sizes {:?}, prices {:?}, market {:?}", self.sizes, self.prices, self.market)?;
        for (number, player) in self.players.iter().enumerate() {
            let cash = player.cash.map_or("hidden".into(), |cash| format!("${cash}"));
            let shares = player.shares.map_or("hidden".into(), |shares| format!("{shares:?}"));
            writeln!(formatter, "  seat {number}: {cash}, {shares}")?;
        }
        Ok(())
    }
}
