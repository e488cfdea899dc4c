// Entry of the manual policy's thread, so that validating a large file delays no request.
import type { ThreadHost } from '@playhead/sdk'
import { DATABASE } from '../run/thread.ts'
import { createPolicyWork } from './work.ts'

export default function work(host: ThreadHost) {
  return createPolicyWork(host.openDatabase(DATABASE))
}
