// Providers that tell wrongly what plays, held against the conformance kit.
import { failing } from './bad/fails.ts'
import { badPlayers } from './bad/playing.ts'

failing(badPlayers)
