// Startup work that needs a capability which may be provided later.
import { onceProvided, PlayheadError } from '@playhead/sdk'
import t from 'tap'

const gone = new PlayheadError('PLH_CAPABILITY_GONE', 'Nothing provides it.')
const stays = new AbortController().signal

t.test('the work is retried until the capability is there', async (t) => {
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries < 3) throw gone
    return 'done'
  }
  t.equal(await onceProvided(work, stays), 'done')
  t.equal(tries, 3)
})

t.test('another failure causes no retry', async (t) => {
  let tries = 0
  const work = async () => {
    tries += 1
    throw new PlayheadError('PLH_CONFLICT', 'It was there already.')
  }
  await t.rejects(onceProvided(work, stays), { code: 'PLH_CONFLICT' })
  t.equal(tries, 1)
})

t.test('the signal ends the wait', async (t) => {
  const ends = new AbortController()
  const waiting = onceProvided(async () => Promise.reject(gone), ends.signal)
  ends.abort(new Error('over'))
  await t.rejects(waiting, { message: 'over' })
})
