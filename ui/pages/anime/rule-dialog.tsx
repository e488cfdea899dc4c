// Creates or edits a rule, and shows its meaning in words below.
import { Button, Fieldset, Group, Modal, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { anime } from '../../texts/en/anime.ts'
import { say } from '../../texts/say.ts'
import { type Draft, KEY, MATCHES, meaningOf, TARGETS } from './state.ts'

const { rule: texts, rules, schemes } = anime
const options = (all: readonly (keyof typeof schemes)[]) => all.map((value) => ({ value, label: schemes[value] }))

export function RuleDialog({ rule, onClose }: { readonly rule: Draft; readonly onClose: () => void }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(rule)
  const [isTried, setTried] = useState(false)
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const save = useMutation<unknown, ApiError>({
    mutationFn: async () => {
      // Read the current list, because another page may have changed it.
      const { anime_mapping: known } = await api('POST /api/anime-mapping/settings', { body: {} })
      const others = known.overrides.filter(({ id }) => id !== draft.id)
      const place = known.overrides.findIndex(({ id }) => id === draft.id)
      const own = {
        ...draft,
        match_id: draft.match_id.trim(),
        target_id: draft.target_id.trim(),
        // A rule for a whole season starts at its first episode.
        ...(draft.match_season === null
          ? {}
          : { episode_from: draft.episode_from ?? 1, episode_start_at: draft.episode_start_at ?? 1 }),
      }
      const overrides =
        place < 0 ? [...others, own] : known.overrides.with(place, { ...known.overrides[place]!, ...own })
      await api('POST /api/anime-mapping/settings', { body: { overrides } })
    },
    onSuccess: async () => {
      notifyDone(rules.saved)
      onClose()
      await client.invalidateQueries({ queryKey: KEY })
    },
  })
  const hasEpisodes = draft.episode_from !== null || draft.episode_to !== null || draft.episode_start_at !== null
  const errors = {
    match: draft.match_id.trim() === '' ? texts.missing : null,
    target: draft.target_id.trim() === '' ? texts.missing : null,
    season: hasEpisodes && draft.match_season === null ? texts.needsSeason : null,
    to: draft.episode_to !== null && draft.episode_to < (draft.episode_from ?? 1) ? texts.order : null,
  }
  const shown = (error: string | null) => (isTried ? error : null)
  const numberField = (name: 'match_season' | 'episode_from' | 'episode_to' | 'episode_start_at', least: number) => ({
    min: least,
    allowDecimal: false,
    value: draft[name] ?? '',
    onChange: (value: number | string) => set({ [name]: value === '' ? null : Number(value) }),
  })
  return (
    <Modal opened onClose={onClose} size="lg" title={rule.id === undefined ? texts.newTitle : texts.editTitle}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (Object.values(errors).every((error) => error === null)) save.mutate()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={texts.name}
              description={texts.nameText}
              value={draft.title}
              maxLength={200}
              dir="auto"
              onChange={(event) => set({ title: event.currentTarget.value })}
            />
            <Select
              label={texts.kind}
              description=" "
              data={(['show', 'movie'] as const).map((value) => ({ value, label: texts.kinds[value] }))}
              value={draft.media_type}
              onChange={(value) =>
                set({
                  media_type: (value ?? 'show') as Draft['media_type'],
                  ...(value === 'movie'
                    ? { match_season: null, episode_from: null, episode_to: null, episode_start_at: null }
                    : {}),
                })
              }
              allowDeselect={false}
            />
          </SimpleGrid>
          <Fieldset legend={texts.match}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={texts.service}
                data={options(MATCHES)}
                value={draft.match_provider}
                onChange={(value) => set({ match_provider: (value ?? 'tvdb') as Draft['match_provider'] })}
                allowDeselect={false}
              />
              <TextInput
                label={texts.id}
                value={draft.match_id}
                maxLength={64}
                error={shown(errors.match)}
                onChange={(event) => set({ match_id: event.currentTarget.value })}
              />
              {draft.media_type === 'movie' ? null : (
                <NumberInput
                  label={texts.season}
                  description={texts.seasonText}
                  error={shown(errors.season)}
                  {...numberField('match_season', 0)}
                />
              )}
            </SimpleGrid>
            {draft.media_type === 'movie' || draft.match_season === null ? null : (
              <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm">
                <NumberInput label={texts.from} description=" " {...numberField('episode_from', 1)} />
                <NumberInput
                  label={texts.to}
                  description={texts.toText}
                  error={shown(errors.to)}
                  {...numberField('episode_to', 1)}
                />
              </SimpleGrid>
            )}
          </Fieldset>
          <Fieldset legend={texts.target}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <Select
                label={texts.service}
                data={options(TARGETS)}
                value={draft.target_namespace}
                onChange={(value) => set({ target_namespace: (value ?? 'anilist') as Draft['target_namespace'] })}
                allowDeselect={false}
              />
              <TextInput
                label={texts.id}
                value={draft.target_id}
                maxLength={64}
                error={shown(errors.target)}
                onChange={(event) => set({ target_id: event.currentTarget.value })}
              />
              {draft.media_type === 'movie' || draft.match_season === null ? null : (
                <NumberInput
                  label={texts.start}
                  description={texts.startText}
                  {...numberField('episode_start_at', 1)}
                />
              )}
            </SimpleGrid>
          </Fieldset>
          <TextInput
            label={texts.note}
            value={draft.note}
            maxLength={500}
            dir="auto"
            onChange={(event) => set({ note: event.currentTarget.value })}
          />
          <Text size="sm" role="status">
            {say(texts.means, { text: meaningOf(draft) })}
          </Text>
          {save.error === null ? null : <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
