// The event archive: its health, and compacting its file.
import { Button, Text } from '@mantine/core'
import { useChange } from '../../api/query.ts'
import { Facts } from '../../parts/lists/facts.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { maintenance } from '../../texts/en/maintenance.ts'
import { say } from '../../texts/say.ts'
import { Section } from './section.tsx'

const { archive: texts } = maintenance
const S = 1_000

export function Archive() {
  const check = useChange('POST /api/maintenance/events-health')
  const optimise = useChange('POST /api/maintenance/events-optimize', {
    refresh: [['maintenance']],
    onDone: ({ before_bytes: before, after_bytes: after, reclaimed_bytes: freed }) => {
      notifyDone(
        freed <= 0
          ? texts.none
          : say(texts.optimised, { before: bytesText(before), after: bytesText(after), freed: bytesText(freed) }),
      )
      check.mutate({})
    },
  })
  const found = check.data
  return (
    <Section
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate({})}>
            {texts.check}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={optimise.isPending}
            onClick={() => optimise.mutate({ body: {} })}
          >
            {texts.optimise}
          </Button>
        </>
      }
    >
      {check.error === null ? null : <Failure error={check.error} />}
      {optimise.error === null ? null : <Failure error={optimise.error} />}
      {found === undefined ? null : found.exists ? (
        <div role="status">
          <StatusBadge tone={found.healthy ? 'good' : 'bad'} label={found.healthy ? texts.good : texts.bad} />
          <Facts
            cols={{ base: 2, sm: 3 }}
            facts={[
              [texts.facts.events, say('{n}', { n: found.events })],
              [texts.facts.runs, say('{n}', { n: found.runs })],
              [texts.facts.size, bytesText(found.size_bytes + found.wal_size_bytes)],
              [
                texts.facts.first,
                found.first_event === null ? null : <TimeText key="first" at={found.first_event * S} />,
              ],
              [texts.facts.last, found.last_event === null ? null : <TimeText key="last" at={found.last_event * S} />],
              [texts.facts.version, found.schema_version],
            ]}
          />
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.missing}
        </Text>
      )}
    </Section>
  )
}
