// Password records: both schemes, damaged records, and the dummy check.
import { pbkdf2Sync } from 'node:crypto'
import t from 'tap'
import { createPasswords, readPasswordRecord, type PasswordRecord } from '../../../core/auth/password.ts'

const CHEAP = { memoryKib: 8, passes: 1, parallelism: 1 }

t.test('a password matches only its own record', async (t) => {
  const passwords = createPasswords(CHEAP)
  const record = await passwords.hash('correct horse')

  t.same(await passwords.verify('correct horse', record), { matches: true, needsRehash: false })
  for (const wrong of ['correct hors', 'correct horse ', 'Correct horse', '', 'x'.repeat(2000)]) {
    t.same(await passwords.verify(wrong, record), { matches: false, needsRehash: false }, wrong.slice(0, 20))
  }
})

t.test('two records of one password have nothing in common', async (t) => {
  const passwords = createPasswords(CHEAP)
  const [a, b] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])

  t.not(a.hash, b.hash)
  t.not(a.salt, b.salt)
})

t.test('by default a record has the intended cost of guessing', async (t) => {
  const record = await createPasswords().hash('correct horse')

  t.match(record, { scheme: 'argon2id', memory_kib: 19_456, passes: 2, parallelism: 1 })
})

t.test('a record of lower cost or of the older scheme is still valid, and is to be replaced', async (t) => {
  const old: PasswordRecord = {
    scheme: 'pbkdf2_sha256',
    iterations: 260_000,
    salt: Buffer.from('0123456789abcdef').toString('base64url'),
    hash: pbkdf2Sync('correct horse', '0123456789abcdef', 260_000, 32, 'sha256').toString('base64url'),
  }
  const cheap = await createPasswords(CHEAP).hash('correct horse')
  const passwords = createPasswords({ ...CHEAP, memoryKib: 16 })

  for (const record of [old, cheap]) {
    t.same(await passwords.verify('correct horse', record), { matches: true, needsRehash: true })
    t.same(await passwords.verify('wrong horse', record), { matches: false, needsRehash: false })
  }
})

t.test('without a record no password matches', async (t) => {
  const passwords = createPasswords(CHEAP)

  for (const password of ['', 'correct horse'])
    t.same(await passwords.verify(password, undefined), { matches: false, needsRehash: false })
})

t.test('a stored record is accepted completely or not at all', async (t) => {
  const record = await createPasswords(CHEAP).hash('correct horse')
  const damaged = [
    undefined,
    null,
    'secret',
    {},
    { scheme: '', salt: '', hash: '' },
    { ...record, scheme: 'rot13' },
    { ...record, hash: '' },
    { ...record, salt: 'short' },
    { ...record, memory_kib: 64_000_000 },
    { ...record, passes: 0 },
    { ...record, scheme: 'pbkdf2_sha256' },
    { ...record, scheme: 'pbkdf2_sha256', iterations: 4_000_000_000 },
  ]

  t.equal(readPasswordRecord(record), record)
  for (const value of damaged) t.equal(readPasswordRecord(value), undefined, JSON.stringify(value))
})

t.test('a flood of checks waits in a bounded queue', async (t) => {
  const passwords = createPasswords(CHEAP)
  const record = await passwords.hash('correct horse')

  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, () => passwords.verify('correct horse', record)),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')

  t.equal(refused.length, 300 - 256 - 2)
  t.match(refused[0], { reason: { code: 'PLH_TOO_MANY', wire: 'busy' } })
  t.same(
    await passwords.verify('correct horse', record),
    { matches: true, needsRehash: false },
    'afterwards it works again',
  )
})
