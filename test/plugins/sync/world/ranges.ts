// What random lives contain.
import { type Range, SHAPES } from './random-scripts.ts'

const LISTS = ['watchlist', 'history', 'history by-play']
const TWO_WAY = [SHAPES['two-way'], SHAPES.chain]
const ALL = [...LISTS, 'ratings', 'progress']

export const RANGES: Readonly<Record<string, Range>> = {
  'any feature of a pair': { shapes: [SHAPES['two-way']], features: ALL },
  'services with clocks, roundings and orders of their own': {
    shapes: TWO_WAY,
    features: LISTS,
    traits: [
      'stamps',
      'behind=10m',
      'newest-first',
      'lists-only',
      'incremental',
      'verified',
      'slow-writes=2m',
      'slow-reads=20s',
      'behind=10m',
      'cache=2m',
    ],
  },
  'services without dates, or with days only': {
    shapes: [SHAPES['two-way']],
    features: LISTS,
    traits: ['undated', 'days', 'drops-undated', 'lists-only'],
  },
  'chains, rings, stars and one-way pairs of up to five accounts': { shapes: Object.values(SHAPES), features: LISTS },
  'people who act while a run writes': {
    shapes: TWO_WAY,
    features: ALL,
    traits: ['blind', 'incremental'],
    acts: ['put @ * #\nmeanwhile ~ drop ~ *\nrun', 'meanwhile ~ drop @ *\nrun', 'meanwhile ~ put @ * #\nrun'],
  },
  'people who sign in to the same account again': {
    shapes: [...TWO_WAY, SHAPES['one-way']],
    features: LISTS,
    traits: ['lists-only', 'incremental'],
    acts: ['sign-in @ user', 'drop @ *\nsign-in ~ user\nrun', 'sign-in @ user\nrun\ndrop @ *\nrun'],
  },
  'changes through Playhead': {
    shapes: [SHAPES['two-way']],
    features: LISTS,
    acts: ['edit @ drop *', 'edit @ put * #', 'put @ * #\nrun\nedit ~ drop *'],
  },
  'runs that are killed': {
    shapes: TWO_WAY,
    features: LISTS,
    acts: ['put @ * #\nkill %0\nrun', 'drop @ *\nkill %0\nrun', 'put @ * #\nkill %0\nrun\ndrop @ *', 'kill %\nrun'],
  },
  'undos, and undos of undos': {
    shapes: TWO_WAY,
    features: LISTS,
    acts: ['put @ * #\nrun\nundo', 'drop @ *\nrun\nundo', 'undo', 'undo 2', 'undo\nrun\nundo\nrun'],
  },
  'backups that are restored': {
    shapes: [SHAPES['two-way']],
    features: LISTS,
    acts: ['backup', 'put @ * #\nrestore', 'drop @ *\nrestore', 'drop @ *\nrun\nput ~ * #\nrestore', 'restore\nrun'],
  },
  'pairs that begin again': {
    shapes: TWO_WAY,
    features: LISTS,
    acts: ['drop @ *\nreset +', 'put @ * #\nexchange +', 'remake +'],
  },
  'other people who sign in': {
    shapes: [SHAPES['two-way'], SHAPES['one-way'], ['ANN >> BEN']],
    features: LISTS,
    acts: ['sign-in @ kim\nput @ * #\nput @ * #', 'sign-in @ kim\nrun\nrun\nsign-in @ user', 'run + confirm-mirror'],
  },
  'reads and writes that fail': {
    shapes: TWO_WAY,
    features: LISTS,
    acts: [
      'fail @ partial',
      'fail @ throw',
      'fail @ no_end',
      'fail-write @ throws',
      'fail-write @ applied_then_throws',
      'fail-write @ reject_some',
      'hide @ *\nrun\nrun\nshow @',
    ],
  },
  'ratings and positions at services with clocks and roundings': {
    shapes: TWO_WAY,
    features: ['ratings', 'progress'],
    traits: [
      'stamps',
      'newest-first',
      'lists-only',
      'incremental',
      'slow-writes=2m',
      'slow-reads=20s',
      'cache=2m',
      'stars',
      'minutes',
      'blind',
      'verified',
    ],
  },
  'ratings and positions in runs that are killed': {
    shapes: TWO_WAY,
    features: ['ratings', 'progress'],
    acts: ['put @ * #\nkill %0\nrun', 'drop @ *\nkill %0\nrun'],
  },
  'ratings and positions in runs that are undone': {
    shapes: TWO_WAY,
    features: ['ratings', 'progress'],
    traits: ['undated'],
    acts: ['put @ * #\nrun\nundo', 'drop @ *\nrun\nundo', 'undo'],
  },
  'undos that fail': {
    shapes: [SHAPES['two-way']],
    features: ['ratings', 'progress'],
    traits: ['undated'],
    acts: ['put @ * #\nrun\nfail ~ fine\nfail ~ throw\nfail-write ~ throws\nundo'],
  },
  'services that change, and files that are lost and found': {
    shapes: [SHAPES['two-way']],
    features: LISTS,
    acts: [
      'lose @ *',
      'lose @ *\nrun\nfound @ *',
      'service @ cache=2m',
      'service @ cache=0m',
      'service @ lists-only',
      'service @ newest-first',
    ],
  },
  'pairs by item and by play in one world': {
    shapes: [
      ['ANN <> BEN history', 'BEN <> CAT history by-play'],
      ['ANN <> BEN history by-play', 'BEN <> CAT history'],
      ['ANN > BEN history', 'BEN <> CAT history by-play'],
    ],
    features: ['history'],
  },
  'two profiles of one account': {
    shapes: [
      ['ANN <> BEN', 'ANN@two <> CAT'],
      ['BEN <> ANN@two', 'ANN <> CAT'],
      ['ANN <> BEN', 'ANN@two <> BEN'],
    ],
    features: LISTS,
    always: { 'ANN@two': 'profile-of=ANN' },
  },
}
