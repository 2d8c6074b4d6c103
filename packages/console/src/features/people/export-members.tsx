/** The members who are listed, as a CSV file that an import reads. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { exportMembers } from '@toolway/contract/admin'
import { download } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { memberQuery, MembersShown } from './member-filters.tsx'
import { today } from './seen.ts'

export function ExportMembers() {
  const organization = useOrganization()
  const [shown] = useUrlState(MembersShown)
  const save = useMutation({
    mutationFn: () => download(exportMembers, { path: { organization }, query: memberQuery(shown, today()) }),
    onSuccess: (file) => saveFile(file, `${organization}-members.csv`),
    onError: sayProblem,
  })
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {texts.people.file.export}
    </Button>
  )
}
