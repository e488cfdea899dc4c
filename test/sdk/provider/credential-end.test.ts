// The expiry of a profile's credential.
import t from 'tap'
import { Type } from '@playhead/sdk'
import { shapeOf } from '../../../sdk/provider/profiles/profile-schema.ts'
import { createProfiles } from '../../../sdk/provider/profiles/profiles.ts'

const Profile = Type.Object({
  refresh_token: Type.String({ default: '', secret: true }),
  expires_at: Type.Integer({ default: 0 }),
})

const profilesOf = (settings: Readonly<Record<string, unknown>>) =>
  createProfiles(
    {
      providerId: 'ACME',
      shape: shapeOf(Profile),
      credentials: ['refresh_token', 'expires_at'],
      missing: () => undefined,
    },
    () => settings,
    'key',
  )

t.test('a profile reports when its credential expires, if known, and is the same account after a refresh', (t) => {
  const before = profilesOf({
    refresh_token: 'a',
    expires_at: 1_700_000_000,
    instances: { 'ACME-P01': { refresh_token: 'b' } },
  })
  const after = profilesOf({ refresh_token: 'c', expires_at: 1_800_000_000 })

  t.equal(before.state('default').credentialEndsAtMs, 1_700_000_000_000)
  t.equal(before.state('default').credentialRenews, true)
  t.equal(profilesOf({ expires_at: 1_700_000_000 }).state('default').credentialRenews, false)
  t.notOk('credentialEndsAtMs' in before.state('ACME-P01'))
  t.equal(after.state('default').credentialEndsAtMs, 1_800_000_000_000)
  t.equal(after.state('default').fingerprint, before.state('default').fingerprint)
  t.end()
})
