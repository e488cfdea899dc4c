// Random lives, judged by what their people meant. A life that fails is printed as a script of acts, which can be played alone
// (`playScript`), and named in laws.test.ts.
import { runsOf } from '../../fast-check.ts'
import { holdLives } from './world/hold-lives.ts'

holdLives(runsOf(20))
