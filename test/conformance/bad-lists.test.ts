// Providers that deal wrongly with lists, held against the conformance kit.
import { failing } from './bad/fails.ts'
import { badListKeepers } from './bad/lists.ts'

failing(badListKeepers)
