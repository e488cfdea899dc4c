// Update interval of the data, and the mapped pairs.
import {
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { anime } from '../../texts/en/anime.ts'
import { KEY, type Settings } from './state.ts'

const { settings: texts } = anime
const ANY = '*'
const FEATURES = ['watchlist', 'ratings', 'history', 'progress'] as const
type Feature = keyof typeof texts.featureNames

export function SettingsPart({ settings }: { readonly settings: Settings }) {
  const providers = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, { staleTime: 300_000 })
  const [isAuto, setAuto] = useState(settings.auto_update)
  const [hours, setHours] = useState<number | string>(settings.refresh_hours)
  const [days, setDays] = useState<number | string>(settings.stale_after_days)
  const [services, setServices] = useState<readonly string[]>(settings.use_for_pairs)
  const [features, setFeatures] = useState<readonly string[]>(settings.features)
  const save = useChange('POST /api/anime-mapping/settings', { refresh: [KEY], onDone: () => notifyDone(texts.saved) })
  const off = useChange('POST /api/anime-mapping/settings', { refresh: [KEY], onDone: () => notifyDone(texts.offDone) })

  async function askOff() {
    if (await confirm({ title: texts.offTitle, text: texts.offText, action: texts.off, destructive: false }))
      off.mutate({ body: { enabled: false } }, { onError: (error) => notifyFailure(error) })
  }

  // Keep configured names of services that are not running.
  const known = (providers.data ?? []).map(({ name, label }) => ({ value: tokenOf(name, services), label }))
  const others = services.filter((one) => one !== ANY && !known.some(({ value }) => value === one))
  return (
    <Paper
      withBorder
      p="md"
      component="form"
      aria-label={texts.title}
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault()
        save.mutate({
          body: {
            auto_update: isAuto,
            refresh_hours: Number(hours) || 24,
            stale_after_days: Number(days) || 14,
            use_for_pairs: [...services],
            features: [...features] as Feature[],
          },
        })
      }}
    >
      <Stack>
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Switch label={texts.auto} checked={isAuto} onChange={(event) => setAuto(event.currentTarget.checked)} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label={texts.hours}
            min={1}
            max={720}
            allowDecimal={false}
            value={hours}
            disabled={!isAuto}
            onChange={setHours}
          />
          <NumberInput label={texts.stale} min={1} max={365} allowDecimal={false} value={days} onChange={setDays} />
        </SimpleGrid>
        <MultiSelect
          label={texts.services}
          description={texts.servicesText}
          data={[{ value: ANY, label: texts.all }, ...known, ...others.map((value) => ({ value, label: value }))]}
          value={[...services]}
          onChange={setServices}
          searchable
        />
        <Checkbox.Group
          label={texts.features}
          description={texts.featuresText}
          value={[...features]}
          onChange={setFeatures}
        >
          <Group mt="xs">
            {FEATURES.map((feature) => (
              <Checkbox key={feature} value={feature} label={texts.featureNames[feature]} />
            ))}
          </Group>
        </Checkbox.Group>
        {save.error === null ? null : <Failure error={save.error} />}
        <Group justify="space-between">
          <Button variant="subtle" color="red" loading={off.isPending} onClick={() => void askOff()}>
            {texts.off}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {texts.save}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

/** The settings have names such as animeA for the service ANIMEA. */
function tokenOf(name: string, set: readonly string[]): string {
  return set.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name
}
