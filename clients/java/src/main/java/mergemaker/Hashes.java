package mergemaker;

import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

final class Hashes {
  static final int BYTES = 32;

  private Hashes() {}

  /** A hash as records write it. */
  static String text(ByteString hash) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(hash.toByteArray());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new AssertionError("every Java has SHA-256", error);
    }
  }
}
