package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.mergemaker.v1.LegalAnswers;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListingTest {
  private static void assertUnreadable(LegalAnswers.Builder answers) {
    assertThrows(UnreadableException.class, () -> Listing.of(answers.build()));
  }

  private static LegalAnswers.Builder purchase(int most, List<Integer> prices) {
    LegalAnswers.Builder answers = LegalAnswers.newBuilder().setCount(1);
    answers
        .getPurchaseBuilder()
        .setCountMax(most)
        .addAllPrices(prices)
        .addAllMarket(Action.NO_SHARES);
    return answers;
  }

  private static LegalAnswers.Builder disposal(int held, int pairs) {
    LegalAnswers.Builder answers = LegalAnswers.newBuilder().setCount(1);
    answers.getDisposalBuilder().setHeld(held).setPairsMax(pairs);
    return answers;
  }

  private static LegalAnswers.Builder offer(List<Integer> held, int asked) {
    LegalAnswers.Builder answers = LegalAnswers.newBuilder().setCount(1);
    answers
        .getOfferBuilder()
        .addPartners(1)
        .addAllHeld(held)
        .setAskedSharesMax(asked)
        .setCashStep(100);
    return answers;
  }

  @Test
  void boundsThatCanBeReadAre() throws Exception {
    assertEquals(1, Listing.of(purchase(3, Action.NO_SHARES).build()).count());
    assertEquals(1, Listing.of(disposal(0, 0).build()).count());
    assertEquals(1, Listing.of(offer(Action.NO_SHARES, 25).build()).count());
  }

  @Test
  void boundsThatCannotBeReadAreRefused() {
    assertUnreadable(LegalAnswers.newBuilder().setCount(1));
    assertUnreadable(purchase(6, Action.NO_SHARES));
    assertUnreadable(purchase(-1, Action.NO_SHARES));
    assertUnreadable(purchase(3, List.of(1)));
    assertUnreadable(purchase(3, List.of(0, 0, 0, 0, 0, 0, -1)));
    assertUnreadable(disposal(-1, 0));
    assertUnreadable(disposal(1_000_000, 0));
    assertUnreadable(disposal(0, -1));
    assertUnreadable(offer(List.of(), 25));
    assertUnreadable(offer(List.of(9, 9, 9, 9, 9, 9, 9), -1));
  }

  @Test
  void anotherNumberOfAnswersThanIsSaidIsRefused() {
    assertUnreadable(disposal(0, 0).setCount(2));
  }

  @Test
  void offersAreNotListed() throws Exception {
    LegalAnswers.Builder answers = offer(List.of(1, 0, 0, 0, 0, 0, 0), 1);
    // One share given; each of the other six asked for or not, at least one of them.
    Answers offers = Listing.of(answers.setCount(64).build());
    assertEquals("too-many-answers", assertThrows(BotException.class, offers::list).reason());
    assertEquals("bad-index", assertThrows(BotException.class, () -> offers.get(64)).reason());
    assertEquals("bad-index", assertThrows(BotException.class, () -> offers.get(-1)).reason());
    assertEquals(new Action.NoOffer(), offers.get(0));
  }
}
