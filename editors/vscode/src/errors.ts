/** How an error of the server reaches a person. */
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** True for the answer to a request that was cancelled, by the person or by shutting down. */
export function isCancellation(error: unknown): boolean {
    return (
        error instanceof vscode.CancellationError ||
        (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)
    );
}

/** The text of an error, whatever was thrown. */
export function messageOf(error: unknown): string {
    if (error instanceof ResponseError && error.code === LSPErrorCodes.ContentModified) {
        return 'The program changed meanwhile. Run the command again.';
    }
    return error instanceof Error ? error.message : String(error);
}

/** Shows the first line in a notification and the whole in the output. Silent for a cancellation. */
export function explain(output: vscode.LogOutputChannel, what: string, error: unknown): void {
    if (isCancellation(error)) return;
    const message = messageOf(error);
    output.error(`${what}: ${message}`);
    const [first = '', ...rest] = message.trim().split('\n');
    const more = rest.length > 0 ? ['Show Output'] : [];
    void vscode.window.showErrorMessage(`${what}: ${first}`, ...more).then((chosen) => {
        if (chosen !== undefined) output.show();
    });
}
