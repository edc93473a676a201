package checkpoint

import (
	"context"
	"errors"
	"io/fs"

	"kilter/internal/checkpoint/problem"
)

const (
	hintWait  = "wait until nothing writes it, then try again"
	hintAgain = "download the file again, or copy it again from where it is whole"
)

// fileProblem says what an error of the file system means and what to do.
func fileProblem(ctx context.Context, fsys FS, name string, err error) *problem.Problem {
	p := &problem.Problem{File: name, Err: err}
	var irregular *NotRegularError
	switch {
	case errors.Is(err, ErrLoop):
		p.Kind, p.Says = Loop, "the links on the way to it lead in a circle"
		p.Hint = "remove the link and make it anew"
	case errors.As(err, &irregular):
		p.Kind, p.Says = NotRegular, "it is "+describe(irregular.Mode)+" and no regular file"
		p.Hint = "name a model's folder or file"
	case errors.Is(err, fs.ErrPermission):
		p.Kind, p.Says = Permission, "this user may not read it"
		p.Hint = "run kilter as a user who may, or give read permission on it and on the folders above"
	case errors.Is(err, fs.ErrNotExist):
		p.Kind, p.Says, p.Hint = Missing, "no such file or folder", "check the spelling, and that this is the machine that has it"
		if to, err := fsys.Readlink(ctx, name); err == nil {
			p.Kind, p.Other = Dangling, to
			p.Says = "it is a link to " + problem.Quote(to) + ", which is not there"
			p.Hint = "download the model again: its download did not finish, or the file was removed from the cache"
		}
	default:
		p.Kind, p.Says = Unreadable, "cannot be read: "+err.Error()
		p.Hint = "check the disk or the network mount"
	}
	return p
}
