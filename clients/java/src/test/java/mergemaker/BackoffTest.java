package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static List<Long> waits(double chance, boolean isPlaying, int count) {
    Backoff backoff = new Backoff(() -> chance, 0);
    List<Long> waits = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      waits.add(backoff.waitMs(0, 0, isPlaying).orElseThrow());
    }
    return waits;
  }

  @Test
  void waitsGrowWithChanceInThem() {
    assertEquals(List.of(50L, 100L, 200L, 400L, 800L, 1600L, 3200L, 5000L), waits(0, false, 8));
    assertEquals(List.of(100L, 200L, 400L), waits(1, false, 3));
    assertEquals(List.of(50L, 100L, 200L, 400L, 500L, 500L), waits(0, true, 6));
  }

  @Test
  void theRefereesWishIsAdded() {
    Backoff backoff = new Backoff(() -> 0, 0);
    assertEquals(1_050, backoff.waitMs(0, 1_000, false).orElseThrow());
  }

  @Test
  void aRefereeThatWasNeverReachedIsGivenUpSooner() {
    Backoff backoff = new Backoff(() -> 0, 0);
    assertTrue(backoff.waitMs(29_900, 0, false).isPresent());
    assertTrue(backoff.waitMs(29_950, 0, false).isEmpty());
    assertEquals(30_000, backoff.limitMs());
    backoff.opened(29_950);
    backoff.welcomed();
    assertTrue(backoff.waitMs(30_000, 0, false).isPresent());
    backoff.opened(30_000);
    assertTrue(backoff.waitMs(149_000, 0, false).isPresent());
    assertTrue(backoff.waitMs(149_999, 0, false).isEmpty());
  }

  @Test
  void attemptsBeginAnewWhenAMatchGoesOnOrAStreamWasSteady() {
    Backoff backoff = new Backoff(() -> 0, 0);
    backoff.waitMs(0, 0, false);
    backoff.progressed();
    assertEquals(50, backoff.waitMs(0, 0, false).orElseThrow());
    assertEquals(100, backoff.waitMs(0, 0, false).orElseThrow());
    backoff.opened(1_000);
    backoff.welcomed();
    assertEquals(50, backoff.waitMs(11_000, 0, false).orElseThrow());
    backoff.opened(12_000);
    backoff.welcomed();
    assertEquals(100, backoff.waitMs(13_000, 0, false).orElseThrow());
  }
}
