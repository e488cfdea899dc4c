// Users of a server: all of them for an administrator, else only the current one.
import { isPlayheadError } from '@playhead/sdk'
import { Type } from '@sinclair/typebox'
import { User } from '../wire.ts'
import type { Session } from '../session.ts'

const PAGE = 500
const Users = Type.Union([
  Type.Array(User),
  Type.Object({ Items: Type.Array(User), TotalRecordCount: Type.Integer({ minimum: 0 }) }),
])

interface People {
  readonly users: readonly User[]
  /** Only the current user is visible. */
  readonly onlyOwn: boolean
}

export async function listPeople({ dialect, upstream, profile }: Session): Promise<People> {
  try {
    const users: User[] = []
    for (;;) {
      const answer = await upstream.json(dialect.users(users.length, PAGE), Users)
      if (Array.isArray(answer)) return { users: answer, onlyOwn: false }
      users.push(...answer.Items)
      if (answer.Items.length === 0 || users.length >= answer.TotalRecordCount) return { users, onlyOwn: false }
    }
  } catch (error) {
    // Only administrators may list other users.
    if (!isPlayheadError(error) || ![401, 403].includes(error.details?.['status'] as number)) throw error
    return {
      users: [await upstream.json(dialect.user(profile.user_id, profile.access_token === ''), User)],
      onlyOwn: true,
    }
  }
}
