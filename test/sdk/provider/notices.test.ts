// Notices of plugin.json: which profiles they concern, and since when a profile has been signed in.
import t from 'tap'
import { PluginManifest, Type, type VendorNotice } from '@playhead/sdk'
import { createLineage, renewTokens } from '@playhead/sdk/provider'
import { Value } from '@sinclair/typebox/value'
import { shapeOf } from '../../../sdk/provider/profiles/profile-schema.ts'
import { createProfiles } from '../../../sdk/provider/profiles/profiles.ts'
import { ACME, acmePlugin, startAcme } from './support.ts'

const Profile = Type.Object({
  token: Type.String({ default: '', secret: true }),
  refresh_token: Type.String({ default: '', secret: true }),
  kinds: Type.Object({ film: Type.Boolean({ default: false }) }, { default: {} }),
})
const notice = (id: string, when?: VendorNotice['when']): VendorNotice => ({
  ...{ id, text: 'It ends.' },
  ...(when === undefined ? {} : { when }),
})

t.test('a notice concerns profiles whose settings are as it says', (t) => {
  const notices = [
    notice('all'),
    notice('old', { present: ['token'], missing: ['refresh_token'] }),
    notice('films', { present: ['kinds.film'] }),
  ]
  const idsFor = (settings: Readonly<Record<string, unknown>>, isConfigured = true) =>
    createProfiles(
      {
        ...{ providerId: 'ACME', shape: shapeOf(Profile), credentials: ['token'], notices },
        missing: () => (isConfigured ? undefined : 'not_configured'),
      },
      () => settings,
      'key',
    )
      .state('default')
      .notices?.map(({ id }) => id)
  t.same(idsFor({ token: 'a' }), ['all', 'old'])
  t.same(idsFor({ token: 'a', refresh_token: 'b', kinds: { film: true } }), ['all', 'films'])
  t.equal(idsFor({ token: 'a' }, false), undefined, 'a profile that is not set up is told nothing')
  t.end()
})

t.test('plugin.json accepts notices with days and links, and nothing else', (t) => {
  const manifest = { id: 'acme', name: 'Acme', version: '1.0.0', api: '^1.0.0', kind: 'provider' }
  const isValid = (one: object) =>
    Value.Check(PluginManifest, { ...manifest, notices: [{ id: 'a', text: 'b', ...one }] })
  t.ok(isValid({ from: '2026-01-01', until: '2027-01-01', endsSignIn: '2027-01-01', link: 'https://acme.example/x' }))
  t.ok(isValid({ severity: 'warning', when: { present: ['token'], missing: ['a.b'], signedInBefore: '2026-09-18' } }))
  for (const wrong of [
    { from: 'soon' },
    { link: 'http://a' },
    { severity: 'loud' },
    { when: { equals: 1 } },
    { text: '' },
  ])
    t.notOk(isValid(wrong), JSON.stringify(wrong))
  t.end()
})

t.test('a sign-in has a time, renewed tokens keep it, and a disconnect ends it', async (t) => {
  const plugin = acmePlugin()
  await using acme = await startAcme(plugin, { provider: ACME })
  const kit = await acme.kit()
  const at = () => acme.provider.signedInAt?.('default')
  t.equal(await at(), undefined)
  const startedAtMs = Date.now()
  const account = kit.account('default')
  await account.save({ server: 'http://127.0.0.1:9' })
  t.equal(await at(), undefined, 'an address is no sign-in')
  await account.save({ access_token: 'a', refresh_token: 'r' })
  const first = (await at()) ?? 0
  t.ok(first >= startedAtMs)
  await new Promise((resolve) => setTimeout(resolve, 3))
  await renewTokens(kit.account('default'), {
    lineage: createLineage(account, ({ access_token: token }) => token),
    label: 'Acme',
    exchange: async () => ({ access_token: 'b', refresh_token: 's' }),
    refusedBy: [401],
  })
  t.equal(kit.profile('default').access_token, 'b')
  t.equal(await at(), first)
  await account.save({ access_token: 'c', refresh_token: 't' })
  t.ok(((await at()) ?? 0) > first, 'another sign-in')
  await kit.disconnect('default')
  t.equal(await at(), undefined)
})
