import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from '../../fast-check.ts'
import t from 'tap'
import { addKey } from '../../../core/storage/key-file.ts'
import { isEncrypted, openVault, VaultError } from '../../../core/storage/vault.ts'
import { temporaryDirectory } from './support.ts'

function failure(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof VaultError ? { fault: error.fault, message: error.message } : error
  }
}

t.test('encrypted values can be decrypted, and look different each time', async (t) => {
  const vault = openVault({ keyFile: join(temporaryDirectory(t), 'secret.key') })

  fc.assert(
    fc.property(fc.string(), fc.string(), (plaintext, address) => {
      const one = vault.encrypt(plaintext, address)
      const other = vault.encrypt(plaintext, address)
      return (
        isEncrypted(one) &&
        /^enc:v1:[A-Za-z0-9_-]+$/.test(one) &&
        one !== other &&
        vault.decrypt(one, address) === plaintext
      )
    }),
  )
})

t.test('the key file is created on first use, is private, and is used again', async (t) => {
  const keyFile = join(temporaryDirectory(t), 'keys', 'secret.key')
  const ciphertext = openVault({ keyFile }).encrypt('secret', '/a')

  t.equal((await stat(keyFile)).mode & 0o777, 0o600)
  t.equal(openVault({ keyFile }).decrypt(ciphertext, '/a'), 'secret')

  await chmod(keyFile, 0o644)
  openVault({ keyFile }).decrypt(ciphertext, '/a')
  t.equal((await stat(keyFile)).mode & 0o777, 0o600, 'rights that became too wide are corrected')
})

t.test('a value cannot be decrypted at another address, and every changed byte is detected', async (t) => {
  const vault = openVault({ keyFile: join(temporaryDirectory(t), 'secret.key') })
  const ciphertext = vault.encrypt('secret', '/a/token')
  const bytes = Buffer.from(ciphertext.slice('enc:v1:'.length), 'base64url')

  t.match(
    failure(() => vault.decrypt(ciphertext, '/b/token')),
    { fault: 'damaged', message: /\/b\/token/ },
  )
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] as number) ^ 1
    t.throws(
      () => vault.decrypt(`enc:v1:${changed.toString('base64url')}`, '/a/token'),
      { name: 'VaultError' },
      `byte ${index}`,
    )
  }
  for (const text of ['enc:v1:', 'enc:v1:AAAA', 'plain', 'enc:v2:AAAA'])
    t.match(
      failure(() => vault.decrypt(text, '/a')),
      { fault: 'damaged' },
    )
})

t.test('a lost key is reported as lost, and no new one replaces it', async (t) => {
  const keyFile = join(temporaryDirectory(t), 'secret.key')
  const ciphertext = openVault({ keyFile }).encrypt('secret', '/a')
  await rm(keyFile)
  const vault = openVault({ keyFile })

  t.match(
    failure(() => vault.decrypt(ciphertext, '/a')),
    { fault: 'key_missing', message: /secret\.key is missing/ },
  )
  t.match(
    failure(() => vault.encrypt('more', '/b')),
    { fault: 'key_missing' },
  )
  await t.rejects(stat(keyFile), { code: 'ENOENT' })
})

t.test('wrong keys, damaged values and damaged key files have different errors', async (t) => {
  const directory = temporaryDirectory(t)
  const ciphertext = openVault({ keyFile: join(directory, 'one.key') }).encrypt('secret', '/a')
  openVault({ keyFile: join(directory, 'two.key') }).encrypt('other', '/a')
  await writeFile(join(directory, 'broken.key'), 'not a key\n')

  t.match(
    failure(() => openVault({ keyFile: join(directory, 'two.key') }).decrypt(ciphertext, '/a')),
    { fault: 'key_wrong' },
  )
  t.throws(() => openVault({ keyFile: join(directory, 'broken.key') }).decrypt(ciphertext, '/a'), {
    message: /is damaged/,
  })
  t.throws(() => openVault({ keyFile: join(directory, 'broken.key') }).encrypt('x', '/a'), { message: /is damaged/ })
  t.equal(await readFile(join(directory, 'broken.key'), 'utf8'), 'not a key\n', 'it is not overwritten')
})

t.test('a passphrase is enough to read a value elsewhere, and another one is refused', async (t) => {
  const keyFile = join(temporaryDirectory(t), 'secret.key')
  const ciphertext = openVault({ keyFile, passphrase: 'correct horse' }).encrypt('secret', '/a')

  t.equal(
    openVault({ keyFile: join(temporaryDirectory(t), 'none.key'), passphrase: 'correct horse' }).decrypt(
      ciphertext,
      '/a',
    ),
    'secret',
  )
  t.match(
    failure(() => openVault({ keyFile, passphrase: 'wrong horse' }).decrypt(ciphertext, '/a')),
    { fault: 'key_wrong' },
  )
  t.match(
    failure(() => openVault({ keyFile }).decrypt(ciphertext, '/a')),
    { fault: 'key_missing', message: /passphrase/ },
  )
  await t.rejects(stat(keyFile), { code: 'ENOENT' }, 'no key file is made')
})

t.test('values of the key file stay readable after a passphrase was set, and after a new key was added', async (t) => {
  const keyFile = join(temporaryDirectory(t), 'secret.key')
  const old = openVault({ keyFile }).encrypt('secret', '/a')

  t.equal(openVault({ keyFile, passphrase: 'correct horse' }).decrypt(old, '/a'), 'secret')
  await addKey(keyFile)
  const vault = openVault({ keyFile })
  t.equal(vault.decrypt(old, '/a'), 'secret')
  t.not(vault.encrypt('x', '/a').slice(0, 18), old.slice(0, 18), 'new values use the new key')
})
