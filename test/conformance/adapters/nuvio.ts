// Nuvio for the conformance kit.
import { nuvioStand } from '../../stands/nuvio.ts'
import { adapterOf, KINDS } from './kit.ts'

export default adapterOf({
  start: (options) => nuvioStand({ ...options, loginIntervalS: 1 }),
  kinds: { watchlist: KINDS.works },
  withoutRows: true,
  takesAny: true,
})
