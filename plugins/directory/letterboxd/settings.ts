// The settings of one profile, which is one member of Letterboxd.
import { type Static, Type } from '@playhead/sdk'
import { addressField, FIELD_WORDS, type ReasonCode, trimAddress, tuningField } from '@playhead/sdk/provider'

const BASE_URL = 'https://letterboxd.com'

export const Profile = Type.Object({
  username: Type.String({
    default: '',
    maxLength: 200,
    title: 'Username',
    description: 'The name in the address of the profile: letterboxd.com/name.',
  }),
  base_url: addressField(BASE_URL, {
    title: 'Address of Letterboxd',
    description: 'Change this only to use another server, for example for tests.',
  }),
  timeout: Type.Number({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['username'] as const

export function missing({ username }: Readonly<Profile>): ReasonCode | undefined {
  return nameIn(username) === undefined ? 'not_configured' : undefined
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    username: nameIn(profile.username) ?? profile.username.trim(),
    base_url: trimAddress(profile.base_url, BASE_URL),
  }
}

/** People paste the address of their profile, or put an @ before the name. */
export function nameIn(entered: string): string | undefined {
  const text = entered.trim().replace(/^(?:https?:\/\/)?(?:www\.)?letterboxd\.com\//i, '')
  return /^@?(\w{2,40})(?:\/.*)?$/.exec(text)?.[1]?.toLowerCase()
}
