// Account details: name, response time, quota, expiry of the sign-in.
import { profileName } from '../../parts/values/names.ts'
import { Group, Progress, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { nowAtServiceMs } from '../../api/clock.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import { isHeld, problemOf } from './state.ts'
import type { Profile } from './use-connections.ts'

const SOON_SECONDS = 7 * 86_400
const texts = connections.facts

/** Only for sign-ins that are not renewed automatically. */
export function endsSoon({ credential_ends_at: endsAt }: Profile): boolean {
  return endsAt !== null && endsAt - nowAtServiceMs() / 1000 < SOON_SECONDS
}

export function Facts({ profile }: { readonly profile: Profile }) {
  const {
    user,
    acts_as: actsAs,
    checked_at: checkedAt,
    latency_ms: latency,
    quota,
    credential_ends_at: endsAt,
  } = profile
  const name = profileName(profile)
  // An account on hold has a message of its own.
  const problem = isHeld(profile) ? null : problemOf(profile)
  const { limit = null, remaining = null, reset_at: resetAt = null } = quota ?? {}
  const percent = limit !== null && limit > 0 && remaining !== null ? Math.round((100 * remaining) / limit) : null
  const facts: readonly (readonly [title: string, value: ReactNode] | null)[] = [
    problem === null ? null : [texts.problem, problem],
    user === null ? null : [texts.account, user.name],
    actsAs === null
      ? null
      : [
          texts.via,
          say(connections.people.via, { name: actsAs.via === 'default' ? connections.people.mainProfile : actsAs.via }),
        ],
    checkedAt === null ? null : [texts.checked, <TimeText key="checked" at={checkedAt * 1000} />],
    latency === null ? null : [texts.latency, say(texts.milliseconds, { n: Math.round(latency) })],
    remaining === null
      ? null
      : [
          texts.quota,
          <>
            <span>{limit === null ? say('{n}', { n: remaining }) : say(texts.quotaOf, { remaining, limit })}</span>
            {percent === null ? null : (
              <Progress
                key="bar"
                value={percent}
                size="sm"
                mt="2xs"
                maw={160}
                aria-label={say(texts.quotaBar, { percent })}
                color={percent < 10 ? 'red' : 'playhead'}
              />
            )}
          </>,
        ],
    resetAt === null ? null : [texts.quotaResets, <TimeText key="reset" isAhead at={resetAt * 1000} />],
    endsAt === null
      ? null
      : [
          texts.ends,
          <Group key="ends" gap="xs">
            <TimeText isAhead at={endsAt * 1000} />
            {endsSoon(profile) ? <StatusBadge tone="warn" label={texts.endsSoon} /> : null}
          </Group>,
        ],
  ]
  return (
    <SimpleGrid
      component="dl"
      m={0}
      cols={{ base: 1, xs: 2, md: 4 }}
      spacing="md"
      verticalSpacing="sm"
      aria-label={say(texts.title, { name })}
    >
      {facts
        .filter((fact) => fact !== null)
        .map(([title, value]) => (
          <div key={title} style={{ minWidth: 0 }}>
            <Text component="dt" size="xs" c="dimmed">
              {title}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
    </SimpleGrid>
  )
}
