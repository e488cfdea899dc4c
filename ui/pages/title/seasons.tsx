// The watched episodes of each season per service.
import { Group, Progress, Stack, Text } from '@mantine/core'
import { useNames } from '../../parts/values/names.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import type { TitleData } from './data.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

export function Seasons({ seasons }: { readonly seasons: TitleData['seasons'] }) {
  const { account } = useNames()
  return (
    <Stack gap="md">
      {seasons.map(({ season, accounts }) => {
        const most = Math.max(...accounts.map(({ episodes }) => episodes))
        return (
          <div key={season}>
            <Text size="sm" fw={600} mb={4}>
              {season === 0 ? texts.specials : say(texts.season, { n: season })}
            </Text>
            {accounts.map(({ provider, instance, episodes }) => (
              <Group key={`${provider}@${instance}`} gap="sm" wrap="nowrap">
                <Text size="xs" c="dimmed" w="8rem" truncate>
                  <ServiceMark provider={provider} size={16} /> {account(provider, instance)}
                </Text>
                <Progress value={(episodes / most) * 100} className="grow" aria-hidden />
                <Text size="xs" w="6rem">
                  {say(texts.count, { n: episodes })}
                </Text>
              </Group>
            ))}
          </div>
        )
      })}
    </Stack>
  )
}
