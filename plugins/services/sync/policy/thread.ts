// Entry of the thread of the manual policy, so that checking a large file delays no answer.
import type { ThreadHost } from '@playhead/sdk'
import { DATABASE } from '../run/thread.ts'
import { createPolicyWork } from './work.ts'

export default function work(host: ThreadHost) {
  return createPolicyWork(host.openDatabase(DATABASE))
}
