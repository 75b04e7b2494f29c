import { loadMonitoring } from '@hull/monitoring/client'
import type { BrowserShell, NoticeName } from '@hull/shell/client'

/** Texts of the shell in other languages. Those in English are its own. */
const NOTICES: Record<string, Partial<Record<NoticeName, string>>> = {
  de: {
    'form-unsent':
      'Das Formular konnte nicht gesendet werden. Ihre Eingaben sind noch da: Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
    'form-failed': 'Der Server ist an dem Formular gescheitert. Ihre Eingaben sind noch da.'
  },
  pl: {
    'form-unsent':
      'Nie udało się wysłać formularza. Wpisane dane są nadal w formularzu: sprawdź połączenie i spróbuj ponownie.',
    'form-failed': 'Serwer nie mógł przetworzyć formularza. Wpisane dane są nadal w formularzu.'
  }
}

/** Runs in the browser before the document is hydrated. */
export default function startBrowser(shell: BrowserShell): void {
  shell.setNotices((name) => NOTICES[document.documentElement.lang]?.[name])
  loadMonitoring(shell)
}
