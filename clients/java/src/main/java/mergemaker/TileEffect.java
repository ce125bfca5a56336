package mergemaker;

import io.github.mergemaker.v1.EffectKind;
import java.util.List;

/**
 * What one tile would do, if it were placed.
 *
 * @param square the tile
 * @param kind whether it stays alone, grows a chain, founds one, or merges several
 * @param chains the chain that would grow, or all that would be joined, ascending
 * @param survivors with a merger: the chain that would survive, or the equal largest ones
 * @param size tiles of the chain afterwards; 1 for a lone tile
 */
public record TileEffect(
    int square, EffectKind kind, List<Integer> chains, List<Integer> survivors, int size) {}
