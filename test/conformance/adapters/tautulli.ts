// Tautulli for the conformance kit: two people whose plays are in the log of one server.
import { tautulliStand } from '../../stands/tautulli.ts'
import { adapterOf } from './kit.ts'

export default adapterOf({
  leaveOut: { 'isolation.revoked': 'all people are read with the key of the one server' },
  start: tautulliStand,
  kinds: {},
  withoutRows: true,
  wrong: (settings) => ({ ...settings, api_key: 'wrong' }),
})
