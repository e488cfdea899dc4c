import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { MASK } from '@playhead/sdk'
import type { ConfigDocument } from '../../../core/config/contract.ts'
import { rotateSecrets } from '../../../core/config/secrets/rotate-secrets.ts'
import { ConfigUnavailableError } from '../../../core/config/contract.ts'
import { openVault } from '../../../core/storage/vault.ts'
import { openConfig, PROVIDER, ROUTES, VERSION } from './support.ts'

const put =
  (key: string, value: unknown) =>
  (draft: ConfigDocument): void => {
    draft[key] = value
  }

const stored = async (file: string): Promise<Record<string, any>> =>
  JSON.parse(await readFile(file, 'utf8')) as Record<string, any>

t.test(
  'secrets are encrypted on disk and in clear in memory, and a save changes only the affected ciphertexts',
  async (t) => {
    const { config, file } = await openConfig(t)
    await config.change('test', put('mediaB', { access_token: 'one', password: 'two', plain: 'three' }))
    const first = (await stored(file))['mediaB']

    await config.change('test', (draft) => {
      Object.assign(draft['mediaB'] as object, { access_token: 'new', more: 1 })
    })
    const second = (await stored(file))['mediaB']

    t.match(first, { access_token: /^enc:v1:/, password: /^enc:v1:/, plain: 'three' })
    t.not(second.access_token, first.access_token)
    t.equal(second.password, first.password)
    t.match(config.at('mediaB'), { access_token: 'new', password: 'two' })
    t.notMatch(await readFile(file, 'utf8'), /"(?:one|two|new)"/)
  },
)

t.test('elements keep their ciphertexts when they are reordered, by hand too', async (t) => {
  const { config, file } = await openConfig(t)
  await config.change(
    'test',
    put('routes', [
      { id: 'a', token: 'one' },
      { id: 'b', token: 'two' },
    ]),
  )
  const before = await stored(file)

  await config.change('test', (draft) => {
    ;(draft['routes'] as unknown[]).reverse()
  })
  t.same((await stored(file))['routes'], before['routes'].toReversed())
  await writeFile(file, JSON.stringify(before))
  await config.reload()

  t.match(config.at('routes'), [
    { id: 'a', token: 'one' },
    { id: 'b', token: 'two' },
  ])
})

t.test('secrets in a file edited by hand are encrypted soon after', async (t) => {
  const { config, file } = await openConfig(t)
  await writeFile(file, JSON.stringify({ version: VERSION, mediaB: { access_token: 'by hand', empty_token: '' } }))

  await config.reload()
  await config.close()

  t.match(await stored(file), { mediaB: { access_token: /^enc:v1:/, empty_token: '' } })
})

t.test('a field that a plugin marks secret is encrypted at once, and stays secret without the plugin', async (t) => {
  const { config, file, directory } = await openConfig(t)
  await config.change('test', put('mediaB', { pass_phrase: 'hidden' }))
  t.match(await stored(file), { mediaB: { pass_phrase: 'hidden' } })

  config.setContributions([PROVIDER])
  await config.change('test', put('x', 1))
  t.match(await stored(file), { mediaB: { pass_phrase: /^enc:v1:/ } })
  await config.close()
  const { config: again } = await openConfig(t, { directory })

  t.equal(again.at('mediaB.pass_phrase'), 'hidden')
  t.match(again.masked(), { mediaB: { pass_phrase: MASK } })
  await again.change('test', put('y', 1))
  t.match(await stored(file), { mediaB: { pass_phrase: /^enc:v1:/ } })
})

t.test("secrets in lists and maps of a plugin's schema are secrets", async (t) => {
  const { config, file } = await openConfig(t)
  config.setContributions([PROVIDER, ROUTES])
  await config.change('test', (draft) => {
    draft['mediaB'] = { instances: { P1: { api_key: 'k1' } } }
    draft['scrobble'] = {
      routes: [{ id: 'a', options: { key_phrase: 'k2' } }],
      hooks: [{ url: 'u', signing: 'k3' }],
      phrases: ['k4'],
    }
  })

  t.notMatch(await readFile(file, 'utf8'), /"k[1-4]"/)
  t.notMatch(JSON.stringify(config.masked()), /"k[1-4]"/)
})

t.test('a plain text that looks encrypted is returned unchanged', async (t) => {
  const { config, directory } = await openConfig(t)
  await config.change('test', put('note', 'enc:v1:not really'))
  await config.close()

  t.equal((await openConfig(t, { directory })).config.at('note'), 'enc:v1:not really')
})

t.test('without its key nothing is served or written, and everything works once the key is back', async (t) => {
  const { config, directory, file, keyFile } = await openConfig(t)
  await config.change('test', put('token', 'secret'))
  await config.close()
  const before = await readFile(file, 'utf8')
  await rename(keyFile, `${keyFile}.away`)

  const { config: locked, clock } = await openConfig(t, { directory })
  t.match(locked.status(), { available: false, reason: 'key_missing', corrupt: false })
  t.throws(() => locked.current(), { name: 'ConfigUnavailableError', status: 503, wire: 'Service unavailable' })
  await t.rejects(locked.change('test', put('a', 1)), ConfigUnavailableError)
  t.ok(locked.isSecret(['anything']), 'while nothing is known everything is secret')
  t.equal(await readFile(file, 'utf8'), before)
  await t.rejects(readFile(keyFile), { code: 'ENOENT' })

  await rename(`${keyFile}.away`, keyFile)
  clock.nowMs += 10_000
  t.throws(() => locked.current(), ConfigUnavailableError)
  await locked.reload()
  t.equal(locked.at('token'), 'secret')
})

t.test('another key and a missing key have different errors', async (t) => {
  const { config, directory, keyFile } = await openConfig(t)
  await config.change('test', put('token', 'secret'))
  await config.close()
  await rm(keyFile)
  openVault({ keyFile }).encrypt('x', '/')

  const { config: locked } = await openConfig(t, { directory })

  t.match(locked.status(), { available: false, reason: 'key_wrong' })
})

t.test('a new key encrypts everything again, and old copies stay readable', async (t) => {
  const { config, directory, file, lastGoodFile, keyFile } = await openConfig(t)
  await config.change('test', put('mediaB', { token: 'secret', password: 'other' }))
  await config.close()
  const before = await readFile(file, 'utf8')

  t.equal(await rotateSecrets({ file, lastGoodFile, keyFile }), 2)

  const after = await readFile(file, 'utf8')
  t.not(
    JSON.parse(after).mediaB.token.slice(0, 18),
    JSON.parse(before).mediaB.token.slice(0, 18),
    'the key is another one',
  )
  t.equal(await readFile(lastGoodFile, 'utf8'), after)
  const { config: again } = await openConfig(t, { directory })
  t.match(again.at('mediaB'), { token: 'secret', password: 'other' })
  await again.close()
  await writeFile(file, before)
  t.match((await openConfig(t, { directory })).config.at('mediaB'), { token: 'secret', password: 'other' })
})

t.test('a passphrase can replace the key file, and another passphrase can replace it', async (t) => {
  const { config, directory, file, lastGoodFile, keyFile } = await openConfig(t)
  await config.change('test', put('token', 'secret'))
  await config.close()

  await rotateSecrets({ file, lastGoodFile, keyFile, newPassphrase: 'one' })
  await rm(keyFile)
  await rotateSecrets({ file, lastGoodFile, keyFile, passphrase: 'one', newPassphrase: 'two' })
  await t.rejects(rotateSecrets({ file, lastGoodFile, keyFile, passphrase: 'one', newPassphrase: 'three' }), {
    name: 'VaultError',
    message: /another one/,
  })

  const { config: again } = await openConfig(t, {
    directory,
    vault: openVault({ keyFile: join(directory, 'none.key'), passphrase: 'two' }),
  })
  t.equal(again.at('token'), 'secret')
})
