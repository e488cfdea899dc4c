// The document on disk: readable JSON with encrypted secrets.
import { type Vault, isEncrypted } from '../../storage/vault.ts'
import type { ConfigDocument } from '../contract.ts'
import { addressOf, copy, isObject, mapStrings } from '../document/document.ts'
import { patternOf, type SecretRule } from './secret-rule.ts'

const FIRST_KEYS = ['version', 'ui', 'security', 'app_auth', 'runtime']

/** Ciphertexts by place and plaintext. Reused while both are unchanged, so that a save changes only affected lines. */
export type Ciphertexts = ReadonlyMap<string, string>

export interface OpenedText {
  readonly document: ConfigDocument
  readonly ciphertexts: Ciphertexts
  /** Patterns of the encrypted places. */
  readonly encrypted: ReadonlySet<string>
}

/** Throws a SyntaxError or TypeError for an invalid document, and a VaultError if a secret cannot be decrypted. */
export function openText(text: string, vault: Vault): OpenedText {
  const parsed = parse(text)
  if (!isObject(parsed)) throw new TypeError('the configuration must be a JSON object')
  const sealed = copy(parsed)
  const ciphertexts = new Map<string, string>()
  const encrypted = new Set<string>()
  const document = mapStrings(sealed, (value, path) => {
    if (!isEncrypted(value)) return value
    const address = addressOf(sealed, path)
    const plaintext = vault.decrypt(value, address)
    ciphertexts.set(keyOf(address, plaintext), value)
    encrypted.add(patternOf(path))
    return plaintext
  })
  return { document, ciphertexts, encrypted }
}

export interface SealedText extends OpenedText {
  readonly text: string
}

export function sealText(document: ConfigDocument, isSecret: SecretRule, vault: Vault, known: Ciphertexts): SealedText {
  const ciphertexts = new Map<string, string>()
  const encrypted = new Set<string>()
  const sealed = mapStrings(document, (value, path) => {
    if (!mustEncrypt(value, path, isSecret)) return value
    const address = addressOf(document, path)
    const key = keyOf(address, value)
    const ciphertext = ciphertexts.get(key) ?? known.get(key) ?? vault.encrypt(value, address)
    ciphertexts.set(key, ciphertext)
    encrypted.add(patternOf(path))
    return ciphertext
  })
  return { text: `${JSON.stringify(inOrder(sealed), null, 2)}\n`, document, ciphertexts, encrypted }
}

/** True if the file contains a secret in clear: edited by hand, or written before its plugin marked it. */
export function hasClearSecrets(document: ConfigDocument, isSecret: SecretRule, known: Ciphertexts): boolean {
  let found = false
  mapStrings(document, (value, path) => {
    found ||= mustEncrypt(value, path, isSecret) && !known.has(keyOf(addressOf(document, path), value))
    return value
  })
  return found
}

// The parser's message quotes the surrounding text, which may contain secrets.
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = /line \d+ column \d+/.exec(String(error))?.[0]
    throw new SyntaxError(`it is not valid JSON${place === undefined ? '' : ` (${place})`}`)
  }
}

// A plain value that looks like a ciphertext is encrypted too; otherwise it would be decrypted on reading.
function mustEncrypt(value: string, path: readonly (string | number)[], isSecret: SecretRule): boolean {
  return isEncrypted(value) || (value !== '' && isSecret(path))
}

function keyOf(address: string, plaintext: string): string {
  return `${address}\n${plaintext}`
}

function inOrder(document: ConfigDocument): ConfigDocument {
  const rest = Object.keys(document)
    .filter((key) => !FIRST_KEYS.includes(key))
    .sort()
  const ordered = Object.create(null) as ConfigDocument
  for (const key of [...FIRST_KEYS, ...rest]) if (Object.hasOwn(document, key)) ordered[key] = document[key]
  return ordered
}
