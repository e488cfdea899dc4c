// Identifies secrets, for encryption at rest, masking, restoring masked input, logs, events, exports and backups.
// Plugins mark further fields with `secret: true` in their settings schema.
import { hash, timingSafeEqual } from 'node:crypto'

/** Shown instead of a stored secret, with a constant length. */
export const MASK = '••••••••'

const SECRET_KEYS = new Set([
  'api_key',
  'apikey',
  'access_token',
  'refresh_token',
  'client_secret',
  'account_token',
  'pms_token',
  'home_pin',
  'session_id',
  'token_hash',
  'token_digest',
  'salt',
  'hash',
  'device_code',
  'pending_secret',
  'request_token',
  'token',
  'auth_key',
  'password',
  'secret',
  'webhook_secret',
  'webhook_url',
  'webhook_token',
])
const NOT_SECRET = new Set(['token_endpoint', 'token_url', '_pending_upgrade_from_version'])
const SECRET_PATHS = [
  'security.webhook_ids',
  'scheduling.webhooks.url',
  'scheduling.webhooks.base_url',
  'scheduling.webhooks.start_url',
  'scheduling.webhooks.success_url',
  'scheduling.webhooks.failure_url',
]

/** A path into a document; numbers are positions in arrays. */
type DocumentPath = readonly (string | number)[]

/** True when a string at or below this path is secret. */
export function isSecretPath(path: DocumentPath): boolean {
  const keys = path.filter((part): part is string => typeof part === 'string')
  if (keys.some((key) => key.startsWith('_pending_') && !NOT_SECRET.has(key))) return true
  const dotted = keys.join('.')
  if (SECRET_PATHS.some((secret) => dotted === secret || dotted.startsWith(`${secret}.`))) return true
  const leaf = keys.at(-1)?.toLowerCase()
  if (leaf === undefined || NOT_SECRET.has(leaf)) return false
  return SECRET_KEYS.has(leaf) || leaf.endsWith('_token')
}

/** True for input that means "keep the stored secret": empty, null, the mask, or at least three of * and •. */
export function isMasked(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'string' && (value.trim() === '' || /^[*•]{3,}$/.test(value.trim()))
}

/**
 * A copy with every secret masked; empty strings and null stay.
 * @param isSecret default: names that are secret everywhere
 */
export function maskSecrets<T>(
  value: T,
  isSecret: (path: DocumentPath) => boolean = isSecretPath,
  path: DocumentPath = [],
): T {
  if (Array.isArray(value)) return value.map((item, index) => maskSecrets(item, isSecret, [...path, index])) as T
  if (typeof value === 'object' && value !== null) {
    const copy: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) copy[key] = maskSecrets(item, isSecret, [...path, key])
    return copy as T
  }
  if (value === '' || value === null || value === undefined || !isSecret(path)) return maskUrlPassword(value) as T
  return (typeof value === 'boolean' ? value : MASK) as T
}

// A password in a URL (http://user:password@host) is always a secret.
function maskUrlPassword(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('@')) return value
  return value.replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+):[^\s/@]+@/gi, `$1:${MASK}@`)
}

/** Constant-time comparison of secrets. Empty texts never match. */
export function sameText(a: string, b: string): boolean {
  return a !== '' && b !== '' && timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}
