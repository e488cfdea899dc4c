// Providers that handle lists incorrectly, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badListKeepers } from './bad/lists.ts'

failing(badListKeepers)
