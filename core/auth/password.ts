// Password records: hashing and verification. The record contains its scheme, so old records stay valid and are
// rehashed at the next login.
import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createBoundedQueue } from './bounded-queue.ts'

const Encoded = Type.String({ pattern: '^[A-Za-z0-9_-]{16,256}$' })

// The upper bounds protect against a forged or damaged record.
const Argon2Record = Type.Object({
  scheme: Type.Literal('argon2id'),
  memory_kib: Type.Integer({ minimum: 8, maximum: 1_048_576 }),
  passes: Type.Integer({ minimum: 1, maximum: 16 }),
  parallelism: Type.Integer({ minimum: 1, maximum: 16 }),
  salt: Encoded,
  hash: Encoded,
})

const Pbkdf2Record = Type.Object({
  scheme: Type.String({ pattern: '^pbkdf2([_-](hmac[_-])?sha256)?$' }),
  iterations: Type.Integer({ minimum: 1_000, maximum: 10_000_000 }),
  salt: Encoded,
  hash: Encoded,
})

export type PasswordRecord = Static<typeof Argon2Record> | Static<typeof Pbkdf2Record>

interface Argon2Cost {
  readonly memoryKib: number
  readonly passes: number
  readonly parallelism: number
}

interface PasswordCheck {
  readonly matches: boolean
  /** The record uses an older scheme or lower cost. */
  readonly needsRehash: boolean
}

export interface Passwords {
  hash(password: string): Promise<PasswordRecord>
  /** Without a record it takes equally long and fails, so that unknown names cannot be detected by timing. */
  verify(password: string, record: PasswordRecord | undefined): Promise<PasswordCheck>
}

export const PASSWORD_MIN_LENGTH = 8
// Longer passwords only waste CPU time.
export const PASSWORD_MAX_LENGTH = 1024

const COST: Argon2Cost = { memoryKib: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const REFUSED: PasswordCheck = { matches: false, needsRehash: false }

const deriveArgon2 = promisify(argon2)
const derivePbkdf2 = promisify(pbkdf2)

/** At most two hashes at a time: they share the four threads of the pool with file I/O. */
export function createPasswords(cost: Argon2Cost = COST): Passwords {
  const queued = createBoundedQueue({
    concurrency: 2,
    maxWaiting: 256,
    maxWaitMs: 30_000,
    busyText: 'Too many sign-in attempts are waiting; try again in a few seconds.',
  })
  const dummy: Static<typeof Argon2Record> = argon2Record(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))

  return {
    async hash(password) {
      const record = argon2Record(cost, randomBytes(SALT_BYTES), Buffer.alloc(HASH_BYTES))
      const hash = await queued(() => derive(password, record))
      return { ...record, hash: hash.toString('base64url') }
    },
    async verify(password, record) {
      if (password.length > PASSWORD_MAX_LENGTH) return REFUSED
      const used = record ?? dummy
      const expected = Buffer.from(used.hash, 'base64url')
      const derived = await queued(() => derive(password, used))
      const matches = record !== undefined && timingSafeEqual(derived, expected)
      return { matches, needsRehash: matches && !isCurrent(used, cost) }
    },
  }
}

/** The record stored here, or undefined if invalid. */
export function readPasswordRecord(value: unknown): PasswordRecord | undefined {
  return [Argon2Record, Pbkdf2Record].find((schema) => Value.Check(schema, value)) === undefined
    ? undefined
    : (value as PasswordRecord)
}

function derive(password: string, record: PasswordRecord): Promise<Buffer> {
  const salt = Buffer.from(record.salt, 'base64url')
  const length = Buffer.from(record.hash, 'base64url').length
  if ('iterations' in record) return derivePbkdf2(password, salt, record.iterations, length, 'sha256')
  return deriveArgon2('argon2id', {
    message: password,
    nonce: salt,
    tagLength: length,
    memory: record.memory_kib,
    passes: record.passes,
    parallelism: record.parallelism,
  })
}

function argon2Record(cost: Argon2Cost, salt: Buffer, hash: Buffer): Static<typeof Argon2Record> {
  return {
    scheme: 'argon2id',
    memory_kib: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.parallelism,
    salt: salt.toString('base64url'),
    hash: hash.toString('base64url'),
  }
}

function isCurrent(record: PasswordRecord, cost: Argon2Cost): boolean {
  return 'memory_kib' in record && record.memory_kib >= cost.memoryKib && record.passes >= cost.passes
}
