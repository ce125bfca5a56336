"""The presets, copied from the catalogue's table of knobs and from nothing else."""

RENEGADE_CHAINS = (
    ("Tower", "Sackson"),
    ("American", "Festival", "Worldwide"),
    ("Continental", "Imperial"),
)

RENEGADE_CLASSIC: dict[str, object] = {
    "chains": RENEGADE_CHAINS,
    "bonus_chart": "two-holders",
    "start_order": "letter-first",
    "founder_without_stock": "cash",
    "dead_tiles": "optional",
    "unplayable_hand": "skip",
    "after_declaring": "finish",
    "two_player_market": True,
    "assets": "open",
    "special_powers": False,
    "trade_offers": 0,
}

RENEGADE_TYCOON: dict[str, object] = {
    "chains": RENEGADE_CHAINS,
    "bonus_chart": "three-holders",
    "start_order": "letter-first",
    "founder_without_stock": "cash",
    "dead_tiles": "optional",
    "unplayable_hand": "skip",
    "after_declaring": "finish",
    "two_player_market": True,
    "assets": "open",
    "special_powers": False,
    "trade_offers": 0,
}

AVALON_HILL: dict[str, object] = {
    "chains": (
        ("Luxor", "Tower"),
        ("American", "Festival", "Worldwide"),
        ("Continental", "Imperial"),
    ),
    "bonus_chart": "two-holders",
    "start_order": "number-first",
    "founder_without_stock": "nothing",
    "dead_tiles": "optional",
    "unplayable_hand": "show",
    "after_declaring": "finish-or-stop",
    "two_player_market": True,
    "assets": "hidden",
    "special_powers": False,
    "trade_offers": 0,
}

CORPORATIONS: dict[str, object] = {
    "chains": (
        ("Sackson", "Zeta"),
        ("Hydra", "Fusion", "America"),
        ("Phoenix", "Quantum"),
    ),
    "bonus_chart": "two-holders",
    "start_order": "letter-first",
    "founder_without_stock": "nothing",
    "dead_tiles": "forced",
    "unplayable_hand": "skip",
    "after_declaring": "finish-or-stop",
    "two_player_market": False,
    "assets": "open",
    "special_powers": False,
    "trade_offers": 0,
}

REFERENCE: dict[str, object] = {
    "chains": (
        ("Luxor", "Tower"),
        ("American", "Worldwide", "Festival"),
        ("Imperial", "Continental"),
    ),
    "bonus_chart": "two-holders",
    "start_order": "letter-first",
    "founder_without_stock": "cash",
    "dead_tiles": "forced-then-optional",
    "unplayable_hand": "redraw",
    "after_declaring": "finish",
    "two_player_market": False,
    "assets": "open",
    "special_powers": False,
    "trade_offers": 0,
}

PRESETS: dict[str, dict[str, object]] = {
    "renegade-classic": RENEGADE_CLASSIC,
    "renegade-tycoon": RENEGADE_TYCOON,
    "avalon-hill": AVALON_HILL,
    "avalon-hill-powers": {**AVALON_HILL, "special_powers": True},
    "corporations": CORPORATIONS,
    "reference": REFERENCE,
    "reference-trading": {**REFERENCE, "trade_offers": 3},
}
