/** How gRPC is to behave: keepalive, limits, certificates, and no proxy on the way to this machine. */

import { readFileSync } from "node:fs";
import * as tls from "node:tls";

import { ChannelCredentials, Client, credentials, type ChannelOptions } from "@grpc/grpc-js";

import { CA_VARIABLE, addressOf, isLoopback, type Environment, type Target } from "./environment.js";
import { BadSetting } from "./errors.js";

const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5_000;
const RESPONSE_BYTES_MAX = 4 * 1_024 * 1_024;

/** Where machines keep the certificates that they trust, where Node.js does not say. */
const MACHINE_CERTIFICATES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** The options of a channel. */
export function channelOptions(target: Target): ChannelOptions {
  return {
    "grpc.keepalive_time_ms": KEEPALIVE_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.max_receive_message_length": RESPONSE_BYTES_MAX,
    // This library opens a broken stream again, with what it knows by then.
    "grpc.enable_retries": 0,
    // A new stream after a break does not wait for what gRPC remembers of the old connection.
    "grpc.use_local_subchannel_pool": 1,
    ...(isLoopback(target) ? { "grpc.enable_http_proxy": 0 } : {}),
  };
}

/** What a channel proves itself and its partner by; certificates that cannot be read are a `BadSetting`. */
export function credentialsOf(environment: Environment): ChannelCredentials {
  return environment.target.secure ? credentials.createSsl(trusted(environment.ca)) : credentials.createInsecure();
}

/** A channel to the referee. */
export function openChannel(target: Target, proof: ChannelCredentials): Client {
  return new Client(`dns:///${addressOf(target)}`, proof, channelOptions(target));
}

/** Certificates to trust, as PEM; null for those that Node.js brings along, where the machine has none. */
function trusted(ca: string | undefined): Buffer | null {
  return ca === undefined ? machineCertificates() : readCertificates(ca);
}

function readCertificates(path: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new BadSetting("bad-ca", `the certificates in ${path} cannot be read: ${text}`);
  }
  if (!content.includes("-----BEGIN CERTIFICATE-----")) {
    throw new BadSetting("bad-ca", `${CA_VARIABLE} names a file with certificates as PEM; ${path} holds none`);
  }
  return content;
}

function machineCertificates(): Buffer | null {
  const { getCACertificates } = tls as { getCACertificates?: (type: string) => string[] }; // from Node.js 22.15 on
  const found = getCACertificates?.("system") ?? [];
  if (found.length > 0) {
    return Buffer.from(found.join("\n"));
  }
  for (const path of MACHINE_CERTIFICATES) {
    try {
      return readFileSync(path);
    } catch {
      // It is kept elsewhere, or there is none: Node.js brings its own.
    }
  }
  return null;
}
