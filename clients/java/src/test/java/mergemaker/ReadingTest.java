package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.Rules;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingTest {
  /** Field 15 of the rules, which this library does not know, with the value 1. */
  private static final ByteString NEWER_FIELD = ByteString.copyFrom(new byte[] {0x78, 1});

  private static MatchInfo read(List<String> newerKnobs)
      throws UnreadableException, InvalidProtocolBufferException {
    Rules.Builder rules = Rules.newBuilder().addAllNewerKnobs(newerKnobs);
    rules.addAllChainNames(List.of("A", "B", "C", "D", "E", "F", "G"));
    ByteString bytes = rules.build().toByteString().concat(NEWER_FIELD);
    ByteString nonce = ByteString.copyFrom(new byte[MatchInfo.NONCE_BYTES]);
    return Reading.match(
        "m",
        MatchOffered.newBuilder().setSeats(3).setRules(Rules.parseFrom(bytes)).build(),
        MatchStarted.newBuilder().setNonce(nonce).build());
  }

  @Test
  void aMatchWithNewerKnobsIsReadWhileTheyAreNeutral() throws Exception {
    assertEquals(3, read(List.of()).seats());
  }

  @Test
  void aKnobThatIsNotKnownIsNamed() {
    UnreadableException refused =
        assertThrows(UnreadableException.class, () -> read(List.of("weather", "colour")));
    assertTrue(
        refused
            .getMessage()
            .startsWith("the rules have the knob 'weather', which this library does not know"));
  }
}
