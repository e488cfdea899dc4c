// Providers that report playback incorrectly, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badPlayers } from './bad/playing.ts'

failing(badPlayers)
