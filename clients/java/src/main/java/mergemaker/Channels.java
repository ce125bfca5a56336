package mergemaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;

/** Channels to a referee. */
final class Channels {
  static final long KEEPALIVE_MS = 10_000;
  static final long KEEPALIVE_TIMEOUT_MS = 5_000;
  static final int RESPONSE_BYTES_MAX = 4 * 1_024 * 1_024;

  private static final String CERTIFICATE = "-----BEGIN CERTIFICATE-----";

  private final Target target;
  private final ChannelCredentials credentials;

  /** Reads the certificates, so that wrong settings are reported before anything starts. */
  Channels(Environment environment) throws ClientException {
    this.target = environment.target();
    if (!target.isSecure()) {
      credentials = InsecureChannelCredentials.create();
    } else if (environment.ca().isPresent()) {
      credentials = trusting(environment.ca().get());
    } else {
      credentials = TlsChannelCredentials.create();
    }
  }

  /**
   * A channel of its own for each stream, so that a new stream after a break does not wait for what
   * gRPC remembers of the old connection.
   */
  ManagedChannel open() {
    ManagedChannelBuilder<?> builder =
        Grpc.newChannelBuilderForAddress(target.host(), target.port(), credentials)
            .keepAliveTime(KEEPALIVE_MS, TimeUnit.MILLISECONDS)
            .keepAliveTimeout(KEEPALIVE_TIMEOUT_MS, TimeUnit.MILLISECONDS)
            .keepAliveWithoutCalls(true)
            .maxInboundMessageSize(RESPONSE_BYTES_MAX)
            .disableRetry();
    // Not with a direct executor: responses would come under the transport's lock, which a sender
    // takes after ours.
    if (target.isLoopback()) {
      builder.proxyDetector(address -> null);
    }
    return builder.build();
  }

  private static ChannelCredentials trusting(Path ca) throws ClientException {
    try {
      byte[] content = Files.readAllBytes(ca);
      boolean isPem = new String(content, UTF_8).contains(CERTIFICATE);
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      if (!isPem || factory.generateCertificates(new ByteArrayInputStream(content)).isEmpty()) {
        throw ClientException.badSetting(
            "bad-ca",
            Environment.CA + " names a file with certificates as PEM; " + ca + " holds none");
      }
      return TlsChannelCredentials.newBuilder()
          .trustManager(new ByteArrayInputStream(content))
          .build();
    } catch (IOException | CertificateException error) {
      throw ClientException.badSetting(
          "bad-ca", "the certificates in " + ca + " cannot be read: " + error);
    }
  }
}
