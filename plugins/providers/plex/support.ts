// Capabilities and sign-in of Plex.
import type { SignInDescription, Support } from '@playhead/sdk'
import { COMPLETE_PERCENT } from './write/progress.ts'

const EXTERNAL = ['tmdb', 'imdb', 'tvdb', 'guid'] as const

export const features: Support = {
  watchlist: {
    read: true,
    add: true,
    update: false,
    remove: true,
    kinds: ['movie', 'show'],
    needsAnyId: EXTERNAL,
    maxBatch: 100,
    idempotentAdd: true,
    showsAll: true,
  },
  // A play needs a time, and the time of an existing play cannot be changed.
  history: {
    read: true,
    add: true,
    update: false,
    remove: true,
    kinds: ['movie', 'episode'],
    needsAnyId: EXTERNAL,
    maxBatch: 100,
    compares: ['remove'],
    plays: { read: true, write: true, removeOne: true },
    days: 'noon',
    sharedTime: ['progress'],
    // A play ends the position.
    writeSideEffects: ['progress'],
  },
  ratings: {
    read: true,
    add: true,
    update: true,
    remove: true,
    kinds: ['movie', 'show', 'season', 'episode'],
    needsAnyId: EXTERNAL,
    maxBatch: 100,
    compares: ['update', 'remove'],
    idempotentAdd: true,
  },
  progress: {
    read: true,
    add: true,
    update: true,
    remove: true,
    kinds: ['movie', 'episode'],
    needsAnyId: EXTERNAL,
    maxBatch: 100,
    compares: ['update', 'remove'],
    idempotentAdd: true,
    completion: { percent: COMPLETE_PERCENT },
  },
}

export const signIn: SignInDescription = {
  flow: 'device_pin',
  methods: ['device_pin'],
  fields: [],
  actions: { start: true, finish: true, refresh: false, disconnect: true },
  verifyUrl: 'https://plex.tv/link',
  notes: 'Enter the code at plex.tv/link. To sync a home user, sign in with the account, then choose the user.',
  people: {
    list: { method: 'GET', path: '/api/mediaA/pickusers', query: ['instance'], body: [] },
    rows: 'users',
    // The media server may use another id.
    id: 'cloud_account_id',
    label: 'username',
    choose: { method: 'PUT', path: '/api/config/sections/mediaA', query: ['instance'], body: ['values'] },
    send: 'account_id',
    only: 'can_choose',
    secret: { when: 'protected', label: 'PIN', send: 'home_pin' },
  },
}
