/** The status bar item: whether the language server runs, which one, and from where. */
import * as vscode from 'vscode';

import type { LiftServer, ServerState } from './server';

export function createStatusItem(server: LiftServer): vscode.Disposable {
    const item = vscode.window.createStatusBarItem('lift.status', vscode.StatusBarAlignment.Left, 0);
    item.name = 'Lift Language Server';
    const show = (state: ServerState): void => {
        const { text, detail, isError } = describe(state);
        item.text = text;
        item.backgroundColor = isError
            ? new vscode.ThemeColor('statusBarItem.errorBackground')
            : undefined;
        item.command = isError ? 'lift.restartServer' : 'lift.showOutput';
        item.tooltip = `${detail}\n${isError ? 'Click to restart.' : 'Click for the output.'}`;
        item.accessibilityInformation = { label: `Lift: ${detail}` };
    };
    show(server.state);
    item.show();
    return vscode.Disposable.from(item, server.onDidChangeState(show));
}

function describe(state: ServerState): { text: string; detail: string; isError: boolean } {
    switch (state.kind) {
        case 'starting':
            return { text: '$(loading~spin) Lift', detail: 'The server is starting.', isError: false };
        case 'running': {
            const { version, file, place } = state.server;
            const from = place === 'PATH' ? 'found on PATH' : place;
            return { text: '$(check) Lift', detail: `${version} (${file}, ${from})`, isError: false };
        }
        case 'stopped':
            return { text: '$(circle-slash) Lift', detail: 'The server is stopped.', isError: false };
        case 'failed':
            return { text: '$(error) Lift', detail: state.why, isError: true };
    }
}
