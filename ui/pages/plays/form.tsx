// The form of a play: part, time, rating and accounts. It continues with the preview and the result.
import {
  Button,
  Checkbox,
  Group,
  Paper,
  Radio,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import type { Work } from '../../parts/titles/title-search.tsx'
import { plays as texts } from '../../texts/en/plays.ts'
import { say } from '../../texts/say.ts'
import { PartFields } from './part-fields.tsx'
import { Recording, type Order } from './recording.tsx'
import { idOf, isAhead, itemsOf, MAX_EPISODES, type Part, type Target, type When, whenOf } from './state.ts'

const RATINGS = Array.from({ length: 10 }, (_, index) => String(index + 1))
const NONE = '0'
const FIRST_PART: Part = { kind: 'episodes', season: 1, episodes: [] }

interface PlayFormProps {
  readonly work: Work
  readonly onAnother: () => void
}

export function PlayForm({ work, onAnother }: PlayFormProps) {
  const query = useRead(['manual', 'providers'], 'GET /api/manual/providers')
  return (
    <QueryView
      query={query}
      isEmpty={({ providers }) => providers.every(({ history_enabled: can }) => !can)}
      empty={
        <Stack align="flex-start">
          <Text>{texts.where.none}</Text>
          <Button component={Link} href="/connections">
            {texts.where.connect}
          </Button>
        </Stack>
      }
    >
      {({ providers }) => <Fields work={work} targets={providers} onAnother={onAnother} />}
    </QueryView>
  )
}

function Fields({ work, targets, onAnother }: PlayFormProps & { readonly targets: readonly Target[] }) {
  const able = targets.filter((one) => one.history_enabled && (work.type === 'movie' || one.show_history !== 'none'))
  const [part, setPart] = useState<Part>(FIRST_PART)
  const [when, setWhen] = useState<When>({ mode: 'now', date: '', time: '' })
  const [rating, setRating] = useState(NONE)
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(null)
  const [isTried, setTried] = useState(false)
  const [order, setOrder] = useState<Order | null>(null)
  // Accounts of other people must be selected explicitly.
  const chosen = able.filter((one) => (changed === null ? one.own : changed.has(idOf(one))))
  const isOne = work.type === 'movie' || part.kind === 'all' || (part.kind === 'episodes' && part.episodes.length === 1)
  const count = part.kind === 'episodes' ? part.episodes.length : 1
  const errors = {
    part:
      work.type === 'movie' || count > 0
        ? count > MAX_EPISODES
          ? say(texts.what.tooMany, { n: MAX_EPISODES })
          : null
        : texts.what.missing,
    when: when.mode !== 'day' ? null : when.date === '' ? texts.when.missing : isAhead(when) ? texts.when.future : null,
    where: chosen.length === 0 ? texts.where.missing : null,
  }
  const shown = (error: string | null) => (isTried ? error : null)

  if (order !== null)
    return <Recording work={work} order={order} targets={targets} onBack={() => setOrder(null)} onAnother={onAnother} />

  return (
    <Paper
      withBorder
      p="md"
      component="form"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault()
        setTried(true)
        if (Object.values(errors).some((error) => error !== null)) return
        setOrder({
          items: itemsOf(work, part),
          common: {
            providers: chosen.map(({ provider, instance }) => ({ provider, instance })),
            actions: { history: true, ...(isOne && rating !== NONE ? { rating: true } : {}) },
            ...(isOne && rating !== NONE ? { rating: Number(rating) } : {}),
            ...whenOf(when),
            confirm_show: true,
          },
        })
      }}
    >
      <Stack gap="lg">
        {work.type === 'movie' ? null : (
          <PartFields work={work} part={part} targets={able} error={shown(errors.part)} onPart={setPart} />
        )}
        <Stack gap="sm">
          <Radio.Group
            label={texts.when.label}
            value={when.mode}
            onChange={(mode) => setWhen({ ...when, mode: mode as When['mode'] })}
          >
            <Group mt="xs">
              {(['now', 'day', 'release'] as const).map((mode) => (
                <Radio key={mode} value={mode} label={texts.when[mode]} />
              ))}
            </Group>
          </Radio.Group>
          {when.mode === 'day' ? (
            <>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextInput
                  type="date"
                  label={texts.when.date}
                  value={when.date}
                  error={shown(errors.when)}
                  onChange={(event) => setWhen({ ...when, date: event.currentTarget.value })}
                />
                <TextInput
                  type="time"
                  label={texts.when.time}
                  value={when.time}
                  onChange={(event) => setWhen({ ...when, time: event.currentTarget.value })}
                />
              </SimpleGrid>
              {when.time === '' ? (
                <Text size="sm" c="dimmed">
                  {texts.when.noTime}
                </Text>
              ) : null}
            </>
          ) : null}
          {when.mode === 'release' ? (
            <Text size="sm" c="dimmed">
              {texts.when.releaseText}
            </Text>
          ) : null}
        </Stack>
        {isOne ? (
          <div>
            <Text size="sm" fw={500} mb="2xs">
              {texts.rating.label}
            </Text>
            <SegmentedControl
              className="ratings"
              aria-label={texts.rating.label}
              data={[{ value: NONE, label: texts.rating.none }, ...RATINGS]}
              value={rating}
              onChange={setRating}
            />
          </div>
        ) : null}
        <Checkbox.Group
          label={texts.where.label}
          value={chosen.map(idOf)}
          error={shown(errors.where)}
          onChange={(values) => setChanged(new Set(values))}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="xs">
            {able.map((one) => (
              <Group key={idOf(one)} gap="xs" wrap="nowrap">
                <Checkbox value={idOf(one)} label={one.display} />
                <ServiceMark provider={one.provider} size={18} />
              </Group>
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button type="submit">{texts.preview}</Button>
        </Group>
      </Stack>
    </Paper>
  )
}
