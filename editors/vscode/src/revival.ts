/** Restarts a server that crashed, unless it keeps crashing. */
import { CloseAction, ErrorAction, type ErrorHandler } from 'vscode-languageclient/node';

const DEATHS = 5;
const WITHIN_MINUTES = 3;

export class Revival implements ErrorHandler {
    private deaths: number[] = [];

    /** `givenUp` receives the reason if the server is not restarted. */
    constructor(private readonly givenUp: (why: string) => void) {}

    /**
     * A pipe that cannot be written to is the first sign of a death, of which `closed` will hear. The
     * client's own handler shuts down here, so that the server is revived or not by chance.
     */
    error(): { action: ErrorAction; handled: boolean } {
        return { action: ErrorAction.Continue, handled: true };
    }

    closed(): { action: CloseAction; handled: boolean } {
        const now = Date.now();
        this.deaths = [...this.deaths.filter((at) => now - at < WITHIN_MINUTES * 60_000), now];
        if (this.deaths.length < DEATHS) return { action: CloseAction.Restart, handled: true };
        this.givenUp(`ended ${DEATHS} times within ${WITHIN_MINUTES} minutes and is not started again.`);
        return { action: CloseAction.DoNotRestart, handled: true };
    }
}
