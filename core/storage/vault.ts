// Encrypts values with AES-256-GCM, with the value's address as associated data, so that a ciphertext cannot be moved
// to another field.
//
// A ciphertext is `enc:v1:` and base64url of: kind (1 byte), key id (8), salt (16, passphrase only), nonce (12), data,
// tag (16). The key id distinguishes a wrong key from a damaged value. The salt is part of each value, so a document
// and its passphrase suffice on another machine.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { createKeyFile, readKeyFile } from './key-file.ts'

export type VaultFault = 'key_missing' | 'key_wrong' | 'damaged'

/** A value cannot be decrypted. Never contains the value or the key. */
export class VaultError extends Error {
  readonly fault: VaultFault
  /** The kind of failure. */
  readonly subject: 'key' | 'passphrase'

  constructor(fault: VaultFault, message: string, subject: VaultError['subject'] = 'key') {
    super(message)
    this.name = 'VaultError'
    this.fault = fault
    this.subject = subject
  }
}

export interface Vault {
  /** @param address the place of the value; required to decrypt it */
  encrypt(plaintext: string, address: string): string
  /** Throws a VaultError. */
  decrypt(ciphertext: string, address: string): string
}

export interface VaultOptions {
  /** The key without a passphrase; created (0600) with the first encrypted value. */
  readonly keyFile: string
  /** Replaces the key file. Values encrypted with the key file stay readable while it exists. */
  readonly passphrase?: string | undefined
  /** Used instead of the contents of the file. */
  readonly keys?: readonly Buffer[]
}

const PREFIX = 'enc:v1:'
const KIND = { file: 0, passphrase: 1 } as const
const ID_BYTES = 8
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 } as const
// A document uses one salt; pasted values may have others. Each requires a slow key derivation.
const MAX_SALTS = 16

interface Key {
  readonly kind: number
  readonly id: Buffer
  readonly salt: Buffer
  readonly bytes: Buffer
}

export function isEncrypted(text: string): boolean {
  return text.startsWith(PREFIX)
}

export function openVault({ keyFile, passphrase, keys }: VaultOptions): Vault {
  const readKeys = () => (keys ?? readKeyFile(keyFile)).map(fromFile)
  const derived = new Map<string, Key>()
  let fileKeys: readonly Key[] = []
  // A new key would hide that the old one is lost.
  let keyIsLost = false

  return {
    encrypt(plaintext, address) {
      const key = writingKey()
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(address))
      const data = [cipher.update(plaintext, 'utf8'), cipher.final()]
      return (
        PREFIX +
        Buffer.concat([Buffer.of(key.kind), key.id, key.salt, nonce, ...data, cipher.getAuthTag()]).toString(
          'base64url',
        )
      )
    },

    decrypt(ciphertext, address) {
      const parts = split(ciphertext, address)
      const key = readingKey(parts, address)
      try {
        const decipher = createDecipheriv('aes-256-gcm', key.bytes, parts.nonce)
          .setAAD(Buffer.from(address))
          .setAuthTag(parts.tag)
        return Buffer.concat([decipher.update(parts.data), decipher.final()]).toString('utf8')
      } catch {
        throw new VaultError(
          'damaged',
          `The encrypted value at ${address} is damaged or was moved there from another field.`,
        )
      }
    },
  }

  function writingKey(): Key {
    if (passphrase !== undefined) return derived.values().next().value ?? derive(randomBytes(SALT_BYTES))
    if (keyIsLost) {
      throw new VaultError(
        'key_missing',
        `The key file ${keyFile} is missing. A new key is not made while values of the old one exist.`,
      )
    }
    if (fileKeys.length === 0) fileKeys = readKeys()
    if (fileKeys.length === 0) fileKeys = [fromFile(createKeyFile(keyFile))]
    return fileKeys[0] as Key
  }

  function readingKey(parts: Parts, address: string): Key {
    if (parts.kind === KIND.passphrase) {
      if (passphrase === undefined) {
        throw new VaultError(
          'key_missing',
          `The value at ${address} was encrypted with a passphrase, and none is set.`,
          'passphrase',
        )
      }
      const key = derived.get(parts.salt.toString('hex')) ?? derive(parts.salt)
      if (key.id.equals(parts.id)) return key
      derived.delete(parts.salt.toString('hex'))
      throw new VaultError(
        'key_wrong',
        `The passphrase does not open the value at ${address}; it was encrypted with another one.`,
        'passphrase',
      )
    }
    if (fileKeys.length === 0) fileKeys = readKeys()
    const key = fileKeys.find((candidate) => candidate.id.equals(parts.id))
    if (key !== undefined) return key
    keyIsLost = fileKeys.length === 0
    if (keyIsLost) {
      throw new VaultError(
        'key_missing',
        `The key file ${keyFile} is missing; it is needed for the value at ${address}. Put it back.`,
      )
    }
    throw new VaultError(
      'key_wrong',
      `The key file ${keyFile} does not hold the key of the value at ${address}. Put the right file back.`,
    )
  }

  function derive(salt: Buffer): Key {
    if (derived.size >= MAX_SALTS)
      throw new VaultError('damaged', 'The encrypted values come from too many sources to open them all.')
    const bytes = scryptSync(passphrase as string, salt, 32, SCRYPT)
    const key = { kind: KIND.passphrase, id: keyId(bytes), salt, bytes }
    derived.set(salt.toString('hex'), key)
    return key
  }
}

interface Parts {
  readonly kind: number
  readonly id: Buffer
  readonly salt: Buffer
  readonly nonce: Buffer
  readonly data: Buffer
  readonly tag: Buffer
}

function split(ciphertext: string, address: string): Parts {
  const bytes = Buffer.from(ciphertext.slice(PREFIX.length), 'base64url')
  const kind = bytes[0]
  const saltAt = 1 + ID_BYTES
  const nonceAt = saltAt + (kind === KIND.passphrase ? SALT_BYTES : 0)
  const dataAt = nonceAt + NONCE_BYTES
  if (
    !isEncrypted(ciphertext) ||
    (kind !== KIND.file && kind !== KIND.passphrase) ||
    bytes.length < dataAt + TAG_BYTES
  ) {
    throw new VaultError('damaged', `The value at ${address} is not an encrypted value of this version.`)
  }
  return {
    kind,
    id: bytes.subarray(1, saltAt),
    salt: bytes.subarray(saltAt, nonceAt),
    nonce: bytes.subarray(nonceAt, dataAt),
    data: bytes.subarray(dataAt, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  }
}

function fromFile(bytes: Buffer): Key {
  return { kind: KIND.file, id: keyId(bytes), salt: Buffer.alloc(0), bytes }
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('playhead key id\0').update(key).digest().subarray(0, ID_BYTES)
}
