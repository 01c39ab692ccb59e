! SPDX-License-Identifier: BSD-2-Clause
! A recursive function and a subroutine that is called 1,000 times.
program main
  implicit none
  integer :: i
  real(8) :: x
  x = 0
  do i = 1, 1000
    call add(x, i)
  end do
  if (fib(15) /= 610) stop 1
  if (x /= 500500) stop 2
contains
  subroutine add(x, i)
    real(8), intent(inout) :: x
    integer, intent(in) :: i
    x = x + i
  end subroutine add
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function fib
end program main
