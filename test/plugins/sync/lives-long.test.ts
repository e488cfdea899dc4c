// slow: thousands of lives
import { runsOf } from '../../fast-check.ts'
import { holdLives } from './world/hold-lives.ts'

holdLives(runsOf(Number(process.env['PLAYHEAD_LIVES'] ?? 420)))
